public import Identity
public import Postgres

/// Reads time zones from PostgreSQL, which has the IANA database.
public struct PostgresTimeZoneStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the distances from UTC from 2015 until three years from now.
    ///
    /// - Throws: a server error if PostgreSQL does not know the name.
    public func offsets(of name: TimeZoneName) async throws -> TimeZoneOffsets {
        let rows = try await withStoreErrors { try await pool.query(.offsets(of: name)) }
        return TimeZoneOffsets(
            name,
            changes: try rows.map {
                TimeZoneOffsets.Change(
                    at: Instant(try $0.decode("instant", as: Timestamp.self)), seconds: try $0.decode("seconds"))
            })
    }
}

extension SQL {
    /// Compares the distance of each day with that of the day before, and searches a day with a change in steps of 15
    /// minutes.
    fileprivate static func offsets(of name: TimeZoneName) -> SQL {
        """
        WITH days AS (
            SELECT t, (t AT TIME ZONE \(name.rawValue)) - (t AT TIME ZONE 'UTC') AS distance
            FROM generate_series('2015-01-01Z'::timestamptz, now() + interval '3 years', interval '24 hours') t
        ), changes AS (
            SELECT t, distance
            FROM (SELECT t, distance, lag(distance) OVER (ORDER BY t) AS before FROM days) d
            WHERE before IS DISTINCT FROM distance
        )
        SELECT min(u) AS instant, extract(epoch FROM distance)::bigint AS seconds
        FROM changes, generate_series(t - interval '24 hours', t, interval '15 minutes') u
        WHERE (u AT TIME ZONE \(name.rawValue)) - (u AT TIME ZONE 'UTC') = distance
        GROUP BY t, distance
        ORDER BY instant
        """
    }
}
