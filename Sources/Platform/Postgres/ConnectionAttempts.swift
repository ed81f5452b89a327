internal import EventLoop

/// The number of consecutive failures to connect, and the time of the next attempt.
struct ConnectionAttempts {
    private static let backoff = RetryBackoff(from: .milliseconds(50), to: .seconds(2), jitter: 0.5...1)

    private var failures = 0
    private var nextAttempt = ContinuousClock.Instant.now
    /// Why the latest attempt failed; empty if none has failed since the latest success.
    private(set) var reason = ""

    /// Whether the latest attempt failed.
    var areFailing: Bool { failures > 0 }

    func allowsAttempt(_ now: ContinuousClock.Instant) -> Bool { nextAttempt <= now }

    /// Whether a caller should fail at once instead of waiting for the next attempt: after three consecutive failures.
    func failsFast(_ now: ContinuousClock.Instant) -> Bool { failures > 2 && now < nextAttempt }

    mutating func fail(_ reason: String) {
        self.reason = reason
        failures += 1
        nextAttempt = .now + Self.backoff.delay(after: failures, chance: .random(in: 0...1))
    }

    mutating func succeed() {
        self = ConnectionAttempts()
    }
}
