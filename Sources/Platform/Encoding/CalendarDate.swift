/// A date in the proleptic Gregorian calendar.
///
/// The arithmetic counts in years that begin in March, so that the leap day is the last day of a year. The calendar
/// repeats every 400 years, which have 146 097 days.
public struct CalendarDate: Hashable, Sendable {
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// - Parameter days: since 1970-01-01.
    public init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + Self.daysFrom0000March).flooredQuotient(by: Self.daysInEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// - Returns: `nil` if the calendar has no such day.
    public init?(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
        guard (1...12).contains(month), (1...31).contains(day), CalendarDate(daysSince1970: daysSince1970) == self
        else { return nil }
    }

    public var daysSince1970: Int64 {
        let fromMarch = month > 2 ? year : year - 1
        let (era, yearOfEra) = fromMarch.flooredQuotient(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * Self.daysInEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysFrom0000March
    }

    /// 0 for Sunday to 6 for Saturday.
    public var weekday: Int { Int((daysSince1970 + 4).flooredQuotient(by: 7).remainder) }

    private static let daysInEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysFrom0000March: Int64 = 719_468
}

extension Int64 {
    /// Rounds towards negative infinity; the remainder is never negative.
    func flooredQuotient(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
