internal import Postgres
internal import Storage

extension Worker {
    /// Returns a worker that updates the planner's statistics of growing tables every few seconds.
    static func statistics(_ pool: Pool) -> Worker {
        let statistics = PlannerStatistics(pool: pool)
        return Worker(name: "statistics", pause: { .milliseconds(.random(in: 2000...4000)) }) {
            try await statistics.update()
        }
    }
}
