internal import Encoding
package import HTML

extension Markup {
    /// A time as text: relative up to 48 hours before `now`, otherwise with date and zone.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970, like `now`.
    package static func time(_ milliseconds: Int64, now: Int64) -> Markup {
        let text = RFC3339.text(millisecondsSince1970: milliseconds)
        return Markup(
            .time, [.datetime(text), .title(text)], text: TimeText.text(milliseconds, now: now))
    }
}

package enum TimeText {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package static func text(_ milliseconds: Int64, now: Int64) -> String {
        let seconds = (now - milliseconds) / 1000
        switch seconds {
        // The clock can be set back, so a time can be later than `now`.
        case ..<0: return absolute(milliseconds)
        case ..<60: return "just now"
        case ..<3600: return "\(seconds / 60) min ago"
        case ..<172_800: return "\(seconds / 3600) h ago"
        default: return absolute(milliseconds)
        }
    }

    /// For example, `2 May 2026, 14:03 UTC`.
    package static func absolute(_ milliseconds: Int64) -> String {
        let text = RFC3339.text(millisecondsSince1970: milliseconds)
        let numbers = text.split { !$0.isNumber }
        guard numbers.count >= 5, let month = Int(numbers[1]), months.indices.contains(month - 1),
            let day = Int(numbers[2])
        else { return text }
        return "\(day) \(months[month - 1]) \(numbers[0]), \(numbers[3]):\(numbers[4]) UTC"
    }
}
