/// Points in time as text in UTC (RFC 3339 §5.6). The format allows only years 0 to 9999.
public enum RFC3339 {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns the time as text, for example `2026-11-21T12:00:00.000Z`.
    public static func text(millisecondsSince1970 milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(millisecondsSince1970: milliseconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the same text as ``text(millisecondsSince1970:)``.
    public static func append(millisecondsSince1970 milliseconds: Int64, to bytes: inout [UInt8]) {
        let (days, timeOfDay) = milliseconds.flooredQuotientAndRemainder(dividingBy: millisecondsPerDay)
        let date = CalendarDate(daysSince1970: days)
        append(date.year, width: 4, then: "-", to: &bytes)
        append(date.month, width: 2, then: "-", to: &bytes)
        append(date.day, width: 2, then: "T", to: &bytes)
        append(timeOfDay / 3_600_000, width: 2, then: ":", to: &bytes)
        append(timeOfDay / 60_000 % 60, width: 2, then: ":", to: &bytes)
        append(timeOfDay / 1000 % 60, width: 2, then: ".", to: &bytes)
        append(timeOfDay % 1000, width: 3, then: "Z", to: &bytes)
    }

    /// Appends a number with at least `width` digits, and then `end`. Years after 9999 thus have five digits or more,
    /// which ``microsecondsSince1970(_:)`` does not accept.
    private static func append(_ number: Int64, width: Int, then end: Unicode.Scalar, to bytes: inout [UInt8]) {
        guard (0..<powers[width]).contains(number) else {
            bytes += String(number).utf8
            bytes.append(UInt8(ascii: end))
            return
        }
        for exponent in (0..<width).reversed() {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / powers[exponent] % 10))
        }
        bytes.append(UInt8(ascii: end))
    }

    private static let powers: [Int64] = [1, 10, 100, 1000, 10_000]

    /// Parses a time in UTC that ends with `Z`, or a date, which means the first moment of that day. Digits after the
    /// microseconds are ignored.
    ///
    /// - Returns: `nil` for any other text, text of more than 40 bytes, the year 0, leap seconds, and dates that do not
    ///   exist.
    public static func microsecondsSince1970(_ text: String) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        var reader = Reader(remaining: text.utf8[...])
        guard let year = reader.number(4), reader.accept("-"), let month = reader.number(2), reader.accept("-"),
            let day = reader.number(2), year >= 1, let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        let midnight = date.daysSince1970 * millisecondsPerDay * 1000
        guard !reader.remaining.isEmpty else { return midnight }
        guard reader.accept("T") || reader.accept("t"), let hour = reader.number(2), reader.accept(":"),
            let minute = reader.number(2), reader.accept(":"), let second = reader.number(2),
            hour < 24, minute < 60, second < 60, let fraction = reader.fraction(),
            reader.accept("Z") || reader.accept("z"), reader.remaining.isEmpty
        else { return nil }
        return midnight + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    }

    private struct Reader {
        var remaining: Substring.UTF8View

        mutating func accept(_ character: Unicode.Scalar) -> Bool {
            guard remaining.first == UInt8(ascii: character) else { return false }
            remaining.removeFirst()
            return true
        }

        mutating func number(_ width: Int) -> Int64? {
            let digits = remaining.prefix(width)
            guard digits.count == width, digits.allSatisfy(Self.isDigit) else { return nil }
            remaining.removeFirst(width)
            return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }

        /// - Returns: the fraction in microseconds; 0 if there is none; `nil` for a point without digits.
        mutating func fraction() -> Int64? {
            guard accept(".") else { return 0 }
            let digits = remaining.prefix(while: Self.isDigit)
            guard !digits.isEmpty else { return nil }
            remaining.removeFirst(digits.count)
            var (microseconds, unit): (Int64, Int64) = (0, 100_000)
            for digit in digits.prefix(6) {
                microseconds += Int64(digit - UInt8(ascii: "0")) * unit
                unit /= 10
            }
            return microseconds
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }
}

/// A date in the proleptic Gregorian calendar.
///
/// The calculations use years that begin in March, so that the leap day is the last day of a year. From March on, every
/// five months have 153 days. The calendar repeats every 400 years, which have 146 097 days.
public struct CalendarDate: Hashable, Sendable {
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// - Parameter days: since 1970-01-01.
    public init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + Self.daysFrom0000March).flooredQuotientAndRemainder(dividingBy: Self.daysInEra)
        // Subtracts the earlier leap days: one every 4 years (1460 days), except every 100 years (36 524 days), but
        // also every 400 years.
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// - Returns: `nil` if the date does not exist.
    public init?(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
        guard (1...12).contains(month), (1...31).contains(day), CalendarDate(daysSince1970: daysSince1970) == self
        else { return nil }
    }

    public var daysSince1970: Int64 {
        let yearFromMarch = month > 2 ? year : year - 1
        let (era, yearOfEra) = yearFromMarch.flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * Self.daysInEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysFrom0000March
    }

    /// 0 for Sunday to 6 for Saturday.
    public var weekday: Int { Int((daysSince1970 + 4).flooredQuotientAndRemainder(dividingBy: 7).remainder) }

    private static let daysInEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysFrom0000March: Int64 = 719_468
}

extension Int64 {
    /// Divides by a positive number, rounding towards negative infinity. The remainder is never negative.
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
