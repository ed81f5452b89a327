internal import Synchronization

/// Limits a repeated warning to one per ten minutes.
final class ThrottledWarning: Sendable {
    private static let interval: Duration = .seconds(600)

    /// Guards the time of the last warning.
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Returns whether the caller may write the warning now. At most one call in ten minutes returns `true`.
    func mayWriteNow() -> Bool {
        last.withLock { last in
            if let last, last.duration(to: .now) < Self.interval { return false }
            last = .now
            return true
        }
    }
}

/// Limits repeated warnings to one per cause in ten minutes.
final class ThrottledWarnings: Sendable {
    /// The maximum number of causes.
    private static let capacity = 1000

    /// Guards the throttle of each cause. When ``capacity`` is reached, all throttles are removed.
    private let warnings = Mutex<[String: ThrottledWarning]>([:])

    /// Returns whether the caller may write the warning for `cause` now.
    func mayWriteNow(for cause: String) -> Bool {
        warnings.withLock { warnings in
            if warnings[cause] == nil {
                if warnings.count >= Self.capacity { warnings = [:] }
                warnings[cause] = ThrottledWarning()
            }
            return warnings[cause]?.mayWriteNow() ?? false
        }
    }
}
