import EventLoop
import Testing

@Suite("Retry backoff")
struct RetryBackoffTests {
    private let backoff = RetryBackoff(from: .seconds(30), to: .seconds(3600), jitter: 0.75...1.25)

    /// A chance of 0.5 selects the middle of the jitter, which is the factor 1.
    @Test(
        "The delay doubles with each attempt, up to its upper bound",
        arguments: [(1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (9, 3600), (1000, 3600), (0, 30)])
    func doubling(attempts: Int, seconds: Int) {
        #expect(backoff.delay(after: attempts, chance: 0.5) == .seconds(seconds))
    }

    /// 30 seconds times 0.75 and 1.25.
    @Test(
        "The jitter scales the delay, and a chance out of range is clamped",
        arguments: [(0.0, 22_500), (1.0, 37_500), (-1, 22_500), (2, 37_500)])
    func jitter(chance: Double, milliseconds: Int) {
        #expect(backoff.delay(after: 1, chance: chance) == .milliseconds(milliseconds))
    }
}
