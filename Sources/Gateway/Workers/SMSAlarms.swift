internal import Identity
internal import Synchronization

/// The latest value of a metric.
final class BudgetShare: Sendable {
    let value = Mutex(0.0)
}

/// The projects whose senders fail.
final class FailingSenders: Sendable {
    private let tolerance: Duration
    /// The time of the first failure after the last success.
    private let since = Mutex<[ID<Project>: Instant]>([:])

    init(tolerance: Duration) {
        self.tolerance = tolerance
    }

    func record(_ isAccepted: Bool, of project: ID<Project>, at now: Instant) {
        since.withLock { since in
            if isAccepted {
                since[project] = nil
            } else if since[project] == nil {
                since[project] = now
            }
        }
    }

    func count(at now: Instant) -> Int { since.withLock { $0.values.count { now - $0 >= tolerance } } }
}
