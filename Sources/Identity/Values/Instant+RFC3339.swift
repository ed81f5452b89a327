extension Instant {
    /// UTC to the millisecond with `Z` (RFC 3339 §5.6), in the proleptic Gregorian calendar; years 1 to 9999.
    public var iso8601: String {
        let (days, ofDay) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let (seconds, fraction) = ofDay.quotientAndRemainder(dividingBy: 1000)
        let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }.joined(separator: ":")
        return "\(date)T\(time).\(padded(fraction, to: 3))Z"
    }

    /// Counts in years that begin in March, so that the leap day is the last of its year.
    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let from0000March = daysSince1970 + 719_468
        let (era, dayOfEra) = from0000March.flooredDivision(by: 146_097)
        let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Instant {
    /// - Parameter text: a moment in UTC (RFC 3339 §5.6, with `Z`), or a date, which stands for its beginning.
    /// - Returns: `nil` for anything else, and for moments that are not in the calendar.
    public init?(iso8601 text: String) {
        guard
            let match = text.wholeMatch(
                of:
                    #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?[Zz])?/#
            ),
            text.utf8.count <= 40
        else { return nil }
        let parts = match.output
        func number(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (year, month, day) = (number(parts.1), number(parts.2), number(parts.3))
        let (hour, minute, second) = (number(parts.4), number(parts.5), number(parts.6))
        let days = Self.days(year: year, month: month, day: day)
        let isOnCalendar = Self.date(daysSince1970: days) == (year, month, day)
        guard isOnCalendar, year >= 1, hour < 24, minute < 60, second < 60 else { return nil }
        let fraction = String(parts.7 ?? "")
        let microseconds = number(Substring(fraction + String(repeating: "0", count: 6 - fraction.count)))
        self.init(microseconds: ((days * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + microseconds)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let fromMarch = month > 2 ? year : year - 1
        let (era, yearOfEra) = fromMarch.flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    fileprivate func flooredDivision(by unit: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? (quotient - 1, remainder + unit) : (quotient, remainder)
    }
}
