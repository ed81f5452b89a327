internal import Identity
internal import Postgres
internal import Storage
internal import Telemetry

extension Worker {
    /// Returns a worker that removes obsolete rows about once a minute.
    static func janitor(_ pool: Pool, clock: WallClock, metrics: Metrics) -> Worker {
        let janitor = Janitor(pool: pool)
        let removed = metrics.counter(
            "sekisho_removed_rows_total", help: "Obsolete rows removed.",
            labels: [MetricLabel("table", Janitor.Kind.allCases.map(\.rawValue))])
        // The random pause spreads the load of replicas that were started together.
        return Worker(name: "janitor", pause: { .milliseconds(.random(in: 40_000...80_000)) }) {
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
