import Identity
import Testing

@Suite("Times in text")
struct InstantTextTests {
    @Test(
        "A time is read as UTC",
        arguments: [
            ("1970-01-01", 0), ("1970-01-01T00:00:01Z", 1_000_000), ("2000-02-29t23:59:59.5z", 951_868_799_500_000),
            ("2026-11-21T12:00:00.1234567Z", 1_795_262_400_123_456), ("1969-12-31T23:59:59Z", -1_000_000),
        ])
    func read(text: String, microseconds: Int64) {
        #expect(Instant(iso8601: text)?.microseconds == microseconds)
    }

    @Test(
        "A written time is read as the same time",
        arguments: [0, 1, 951_782_400, 1_795_262_400, -62_135_596_800, 253_402_300_799])
    func roundTrip(seconds: Int64) {
        #expect(Instant(iso8601: Instant(seconds: seconds).iso8601) == Instant(seconds: seconds))
    }

    @Test(
        "An invalid time is rejected",
        arguments: [
            "", "yesterday", "2026-02-30", "2026-13-01", "2026-00-10", "0000-01-01", "2026-01-01T24:00:00Z",
            "2026-01-01T12:60:00Z", "2026-01-01T12:00:60Z", "2026-01-01T12:00:00", "2026-01-01T12:00:00+01:00",
            "2026-01-01 12:00:00Z", "٢٠٢٦-01-01", "26-01-01",
        ])
    func refused(text: String) {
        #expect(Instant(iso8601: text) == nil)
    }
}
