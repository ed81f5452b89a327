internal import Synchronization

/// Limits a repeated warning to one per interval.
final class ThrottledWarning: Sendable {
    private let interval: Duration
    /// Guards the time of the last warning.
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(interval: Duration = .seconds(600)) {
        self.interval = interval
    }

    /// Returns whether the caller may write the warning now. At most one call per interval returns `true`.
    func mayWriteNow() -> Bool {
        last.withLock { last in
            if let last, last.duration(to: .now) < interval { return false }
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
