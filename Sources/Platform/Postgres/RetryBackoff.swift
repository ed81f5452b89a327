/// When to try again after failed attempts to connect: 50 ms at first, 2 s at most, half of it at random.
struct RetryBackoff {
    private var failures = 0
    private var nextAttempt = ContinuousClock.Instant.now
    private(set) var reason = ""

    var isFailing: Bool { failures > 0 }

    func allowsAttempt(_ now: ContinuousClock.Instant) -> Bool { nextAttempt <= now }

    /// Whether waiting for the next attempt is not worth it: the last ones have all failed.
    func isHopeless(_ now: ContinuousClock.Instant) -> Bool { failures > 2 && now < nextAttempt }

    mutating func fail(_ reason: String) {
        self.reason = reason
        let ceiling = min(2000, 50 << min(failures, 6))
        failures += 1
        nextAttempt = .now + .milliseconds(Int.random(in: ceiling / 2...ceiling))
    }

    mutating func succeed() {
        self = RetryBackoff()
    }
}
