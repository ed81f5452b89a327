import Foundation
import Testing

@testable import Telemetry

@Suite("A timestamp")
struct TimestampTests {
    @Test(
        "is RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (999, "1970-01-01T00:00:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),
            (1_767_225_599_050, "2025-12-31T23:59:59.050Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).text == text)
    }

    @Test("agrees with Foundation on every day of four centuries")
    func everyDay() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in stride(from: Int64(-25_567), to: 120_530, by: 1) {
            let milliseconds = day * 86_400_000 + day.magnitude.isMultiple(of: 2).milliseconds
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            #expect(Timestamp(millisecondsSince1970: milliseconds).text == date.formatted(style))
        }
    }
}

extension Bool {
    fileprivate var milliseconds: Int64 { self ? 0 : 86_399_500 }
}
