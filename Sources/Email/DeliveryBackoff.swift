/// How long an email waits after a failed attempt.
public enum DeliveryBackoff {
    public static let shortest: Duration = .seconds(30)
    public static let longest: Duration = .seconds(3600)

    /// Doubles with each attempt from ``shortest`` to ``longest``. The jitter of up to a quarter keeps many emails from being
    /// retried at the same moment.
    ///
    /// - Parameters:
    ///   - attempts: attempts so far, at least 1.
    ///   - jitter: a random number from 0 to 1.
    public static func delay(after attempts: Int, jitter: Double) -> Duration {
        let doublings = min(max(attempts, 1) - 1, 20)
        return min(shortest * (1 << doublings), longest) * (0.75 + 0.5 * min(max(jitter, 0), 1))
    }
}
