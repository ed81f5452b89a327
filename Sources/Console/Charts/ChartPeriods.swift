internal import Encoding

/// The periods of a chart, in UTC: consecutive hours or days.
package struct ChartPeriods: Sendable {
    /// Seconds since 1970.
    let start: Int64
    /// The length of a period in seconds.
    let step: Int64
    let count: Int

    package init(start: Int64, step: Int64, count: Int) {
        self.start = start
        self.step = step
        self.count = count
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private var hasHours: Bool { step < 86_400 }

    /// For example, `2 May, 14:00` or `2 May 2026`.
    func label(of period: Int) -> String {
        let time = RFC3339.text(millisecondsSince1970: (start + Int64(period) * step) * 1000).split { !$0.isNumber }
        let day = "\(Int(time[2]) ?? 0) \(month(time))"
        return hasHours ? "\(day), \(time[3]):\(time[4])" : "\(day) \(time[0])"
    }

    /// What a table of `counts` shows: one row for each period or, of more than a hundred periods, for each month.
    func rows(_ counts: [Int64]) -> [(label: String, count: Int64)] {
        var rows: [(label: String, count: Int64)] = []
        for (period, count) in counts.enumerated() {
            let label = self.count > 100 ? monthLabel(of: period) : label(of: period)
            if rows.last?.label == label { rows[rows.count - 1].count += count } else { rows.append((label, count)) }
        }
        return rows
    }

    /// The heading of the column with ``rows(_:)``.
    var rowHeading: String { count > 100 ? "Month (UTC)" : hasHours ? "Hour (UTC)" : "Day (UTC)" }

    /// The word for one period.
    var unit: String { hasHours ? "hour" : "day" }

    private func monthLabel(of period: Int) -> String {
        let time = RFC3339.text(millisecondsSince1970: (start + Int64(period) * step) * 1000).split { !$0.isNumber }
        return "\(month(time)) \(time[0])"
    }

    private func month(_ time: [Substring]) -> String {
        let month = (Int(time[1]) ?? 1) - 1
        return Self.months.indices.contains(month) ? Self.months[month] : String(time[1])
    }
}

extension Int64 {
    /// The number with commas between thousands.
    var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}
