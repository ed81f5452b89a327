/// Exponential backoff with jitter: how long to wait before a retry.
public struct RetryBackoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private let jitter: ClosedRange<Double>

    /// - Parameters:
    ///   - shortest: the delay after the first failure; it doubles with each further failure.
    ///   - longest: the upper bound of the delay before jitter.
    ///   - jitter: the range of the random factor, which prevents clients from retrying at the same time.
    public init(from shortest: Duration, to longest: Duration, jitter: ClosedRange<Double>) {
        self.shortest = shortest
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - attempts: the number of failed attempts so far, at least 1.
    ///   - chance: a random number from 0 to 1, which selects the factor.
    public func delay(after attempts: Int, chance: Double) -> Duration {
        let doublings = min(max(attempts, 1) - 1, 20)  // limited, so that the shift cannot overflow
        let factor = jitter.lowerBound + (jitter.upperBound - jitter.lowerBound) * min(max(chance, 0), 1)
        return min(shortest * (1 << doublings), longest) * factor
    }
}
