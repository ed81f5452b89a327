import Encoding
import Foundation
import Testing

@Suite("Times in RFC 3339")
struct RFC3339Tests {
    @Test(
        "A time is written in UTC with milliseconds, and is the same after it is read again",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (999, "1970-01-01T00:00:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),
            (1_767_225_599_050, "2025-12-31T23:59:59.050Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            // RFC 3339 §5.8.
            (482_196_050_520, "1985-04-12T23:20:50.520Z"), (-1_041_337_172_130, "1937-01-01T11:40:27.870Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(RFC3339.text(millisecondsSince1970: milliseconds) == text)
        #expect(RFC3339.microsecondsSince1970(text) == milliseconds * 1000)
    }

    @Test("The text is the same as Foundation's for every day of four centuries")
    func everyDay() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // From 1900-01-01 to 2299-12-31.
        for day in stride(from: Int64(-25_567), to: 120_530, by: 1) {
            // Midnight, or half a second before the end of the day.
            let milliseconds = day * 86_400_000 + (day.isMultiple(of: 2) ? 0 : 86_399_500)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            #expect(RFC3339.text(millisecondsSince1970: milliseconds) == date.formatted(style))
        }
    }

    @Test("Years after 9999 are written in full")
    func longYear() {
        #expect(RFC3339.text(millisecondsSince1970: 253_402_300_800_000) == "10000-01-01T00:00:00.000Z")
    }
}

@Suite("Calendar dates")
struct CalendarDateTests {
    @Test("A date is the same after its conversion to days since 1970 and back")
    func roundTrip() {
        // About the years -220 to 10183.
        for days in stride(from: Int64(-800_000), to: 3_000_000, by: 97) {
            let date = CalendarDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            #expect(CalendarDate(year: date.year, month: date.month, day: date.day) == date)
        }
    }

    @Test(
        "A date that is not in the calendar is rejected",
        arguments: [(2023, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 1, 0)])
    func rejected(year: Int64, month: Int64, day: Int64) {
        #expect(CalendarDate(year: year, month: month, day: day) == nil)
    }

    /// 1970-01-01 was a Thursday; day 20 773 is Monday, 2026-11-16.
    @Test("The weekday is counted from Sunday, which is 0", arguments: [(0, 4), (-1, 3), (3, 0), (20_773, 1)])
    func weekday(days: Int64, weekday: Int) {
        #expect(CalendarDate(daysSince1970: days).weekday == weekday)
    }
}
