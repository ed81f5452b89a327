internal import CSystem

/// The header field `Date` (RFC 9110 §5.6.7, §6.6.1), formatted at most once per second.
struct DateField {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private var second: time_t?
    private var bytes: [UInt8] = []

    /// The field with its line end.
    mutating func line() -> [UInt8] {
        let now = time(nil)
        if now != second {
            second = now
            bytes = Array("Date: \(Self.text(at: now))\r\n".utf8)
        }
        return bytes
    }

    /// - Parameter second: since 1970.
    static func text(at second: time_t) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        let date = "\(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        return "\(days[Int(parts.tm_wday)]), \(date) \(time) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
