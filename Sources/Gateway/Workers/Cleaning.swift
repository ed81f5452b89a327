internal import Identity
internal import Postgres
internal import Storage
internal import Telemetry

extension Job {
    /// Has the ``Janitor`` remove what is of no use any more, about once a minute.
    static func cleaning(_ pool: Pool, clock: WallClock, metrics: Metrics) -> Job {
        let janitor = Janitor(pool: pool)
        let removed = metrics.counter(
            "sekisho_removed_rows_total", help: "Rows removed because they were of no use any more.",
            labels: [MetricLabel("table", Janitor.Kind.allCases.map(\.rawValue))])
        // Replicas that were started together do not stay together.
        return Job(name: "janitor", pause: { .milliseconds(.random(in: 40_000...80_000)) }) {
            var failure: (any Error)?
            for kind in Janitor.Kind.allCases {
                do {
                    removed.increment(by: UInt(try await janitor.remove(kind, at: clock.now())), kind.rawValue)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }
}
