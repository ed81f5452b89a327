internal import Encoding
public import Identity
public import Postgres

/// Stores the rate limit counters that all replicas share. A counter has a window: a key and a period of time.
public struct RateLimitCounterStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Adds `deltas` to the counters in one statement.
    ///
    /// - Parameter deltas: the numbers of events to add. A delta of 0 only reads the counter.
    /// - Returns: the current counts of the windows. Windows without a counter are omitted.
    public func merge(_ deltas: [RateDelta]) async throws -> [RateWindow: Int64] {
        let statement = SQL.merge(deltas)
        let rows = try await withStoreErrors { try await pool.query(statement) }
        return try Dictionary(
            rows.map { (deltas[Int(try $0.decode("ordinal", as: Int64.self)) - 1].window, try $0.decode("count")) },
            uniquingKeysWith: max)
    }
}

extension SQL {
    /// Locks rows in the order of their keys, so that replicas do not deadlock.
    fileprivate static func merge(_ deltas: [RateDelta]) -> SQL {
        let keys = deltas.map { Hexadecimal.encode($0.window.key) }
        return """
            WITH delta AS MATERIALIZED (
                SELECT decode(n.key, 'hex') AS key, to_timestamp(n.start) AS window_start, n.count,
                    to_timestamp(n.ending) AS expires_at, n.ordinal
                FROM unnest(\(keys), \(deltas.map(\.window.start.seconds)), \(deltas.map(\.count)),
                    \(deltas.map(\.window.end.seconds))) WITH ORDINALITY AS n (key, start, count, ending, ordinal)),
            upserted AS (
                INSERT INTO rate_limit_counter AS r (key, window_start, count, expires_at)
                SELECT key, window_start, count, expires_at FROM delta WHERE count <> 0 ORDER BY key, window_start
                ON CONFLICT (key, window_start) DO UPDATE SET count = r.count + excluded.count
                RETURNING r.key, r.window_start, r.count)
            SELECT n.ordinal, t.count FROM upserted t JOIN delta n USING (key, window_start)
            UNION ALL
            SELECT n.ordinal, r.count FROM delta n JOIN rate_limit_counter r USING (key, window_start) WHERE n.count = 0
            """
    }
}
