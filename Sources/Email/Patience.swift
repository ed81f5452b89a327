/// How long a letter waits after it could not be sent.
public enum DeliveryBackoff {
    public static let shortest: Duration = .seconds(30)
    public static let longest: Duration = .seconds(3600)

    /// Twice as long each time, within bounds, and up to a quarter more or less, so that many do not come back at once.
    ///
    /// - Parameters:
    ///   - attempts: so far, at least 1.
    ///   - chance: from 0 to 1.
    public static func delay(after attempts: Int, chance: Double) -> Duration {
        let doublings = min(max(attempts, 1) - 1, 20)
        return min(shortest * (1 << doublings), longest) * (0.75 + 0.5 * min(max(chance, 0), 1))
    }
}
