internal import Glibc

/// A moment as logs have it.
struct Timestamp {
    let millisecondsSince1970: Int64

    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// RFC 3339 in UTC with milliseconds.
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes ``text``.
    func append(to line: inout [UInt8]) {
        let (days, inDay) = millisecondsSince1970.flooredQuotient(by: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let parts: [(Int64, width: Int, end: Unicode.Scalar)] = [
            (year, 4, "-"), (month, 2, "-"), (day, 2, "T"),
            (inDay / 3_600_000, 2, ":"), (inDay / 60_000 % 60, 2, ":"), (inDay / 1000 % 60, 2, "."),
            (inDay % 1000, 3, "Z"),
        ]
        for (number, width, end) in parts {
            let digits = String(number)
            for _ in digits.utf8.count..<max(width, digits.utf8.count) { line.append(UInt8(ascii: "0")) }
            line += digits.utf8
            line.append(UInt8(ascii: end))
        }
    }

    /// In the Gregorian calendar. Years begin in March here, so that the leap day is the last day of a year; the
    /// calendar repeats every 400 years, which have 146 097 days.
    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).flooredQuotient(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
