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

extension Int64 {
    fileprivate func flooredDivision(by unit: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? (quotient - 1, remainder + unit) : (quotient, remainder)
    }
}
