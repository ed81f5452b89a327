/// Decides which failures of an operation that is retried every second are logged, so that an outage does not fill the
/// log: each new reason, and a repeated reason after 2, 4, 8, 16 and 32 failures, then after every 60.
package struct FailureStreak {
    private var reason = ""
    private var count = 0

    package init() {}

    /// Counts a failure, and returns whether to log it.
    package mutating func mustLog(_ reason: String) -> Bool {
        count = reason == self.reason ? count + 1 : 1
        self.reason = reason
        return count < 60 ? count.nonzeroBitCount == 1 : count.isMultiple(of: 60)
    }
}
