import Testing

@testable import Console

@Suite("Times on the console's pages")
struct TimeTextTests {
    private static let now: Int64 = 1_777_730_580_000

    @Test(
        "A time is relative up to 48 hours, and later names the date and the zone",
        arguments: [
            (0, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"),
            (172_799, "47 h ago"), (172_800, "30 Apr 2026, 14:03 UTC"), (-1, "2 May 2026, 14:03 UTC"),
        ])
    func text(secondsAgo: Int64, expected: String) {
        #expect(TimeText.text(Self.now - secondsAgo * 1000, now: Self.now) == expected)
    }
}
