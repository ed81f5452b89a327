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
        let keys = deltas.map { Hexadecimal.encode($0.window.key) }
        let windows = Dictionary(
            zip(keys, deltas).map { (CounterID(key: $0, start: $1.window.start.seconds), $1.window) },
            uniquingKeysWith: { first, _ in first })
        let statement = SQL.merge(deltas, keys: keys)
        let rows = try await withStoreErrors { try await pool.query(statement) }
        let counts: [(RateWindow, Int64)] = try rows.compactMap { row in
            let id = CounterID(key: try row.decode("key"), start: try row.decode("start"))
            let count: Int64 = try row.decode("count")
            return windows[id].map { ($0, count) }
        }
        return Dictionary(counts, uniquingKeysWith: max)
    }
}

/// The primary key of a counter.
private struct CounterID: Hashable {
    /// In hexadecimal.
    let key: String
    /// In seconds since 1970.
    let start: Int64
}

extension SQL {
    /// Locks rows in the order of their keys, so that replicas do not deadlock. The caller finds the delta of a
    /// returned counter: a join of thousands of counters with as many deltas takes quadratic time if PostgreSQL expects
    /// few.
    fileprivate static func merge(_ deltas: [RateDelta], keys: [String]) -> SQL {
        """
        WITH delta AS MATERIALIZED (
            SELECT decode(n.key, 'hex') AS key, to_timestamp(n.start) AS window_start, n.count,
                to_timestamp(n.ending) AS expires_at
            FROM unnest(\(keys), \(deltas.map(\.window.start.seconds)), \(deltas.map(\.count)),
                \(deltas.map(\.window.end.seconds))) AS n (key, start, count, ending)),
        upserted AS (
            INSERT INTO rate_limit_counter AS r (key, window_start, count, expires_at)
            SELECT key, window_start, count, expires_at FROM delta WHERE count <> 0 ORDER BY key, window_start
            ON CONFLICT (key, window_start) DO UPDATE SET count = r.count + excluded.count
            RETURNING r.key, r.window_start, r.count),
        merged AS (
            SELECT key, window_start, count FROM upserted
            UNION ALL
            SELECT r.key, r.window_start, r.count
            FROM delta n JOIN rate_limit_counter r USING (key, window_start) WHERE n.count = 0)
        SELECT encode(key, 'hex') AS key, extract(epoch FROM window_start)::bigint AS start, count FROM merged
        """
    }
}
