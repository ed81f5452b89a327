public import Identity
public import Postgres

/// Stores how often something happened, by hour and by day.
public struct CountStore: Sendable {
    /// The maximum number of rows in one statement.
    static let batchSize = 5000

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Adds counts to the hours. Counts of realms that no longer exist are ignored.
    ///
    /// - Returns: the counts that could not be stored, with the error; no counts if all are stored.
    public func add(_ deltas: [CountTable.Delta]) async -> (rest: [CountTable.Delta], error: (any Error)?) {
        var rest = deltas[...]
        do {
            while !rest.isEmpty {
                let statement = SQL.add(Array(rest.prefix(Self.batchSize)))
                _ = try await withStoreErrors { try await pool.execute(statement) }
                rest = rest.dropFirst(Self.batchSize)
            }
            return ([], nil)
        } catch {
            return (Array(rest), error)
        }
    }

    /// Returns the stored counts of a range that ends at `now`.
    public func counts(
        of kinds: Set<CountKind>, in range: CountRange, at now: Instant, of realm: ID<Realm>
    ) async throws -> [StoredCount] {
        let statement = SQL.counts(of: kinds, in: range, at: now, of: realm)
        return try await withStoreErrors { try await pool.query(statement) }.compactMap { row in
            // A row of a later release can have a kind that this release does not know.
            guard let kind = CountKind(rawValue: try row.decode("kind")) else { return nil }
            return StoredCount(
                kind: kind, label: try row.decode("label"), start: Instant(seconds: try row.decode("start")),
                count: try row.decode("count"))
        }
    }
}

extension SQL {
    /// Locks rows in the order of their keys, so that gateways do not deadlock.
    fileprivate static func add(_ deltas: [CountTable.Delta]) -> SQL {
        """
        INSERT INTO hourly_count AS h (realm_id, hour, kind, label, count)
        SELECT d.realm_id, to_timestamp(d.hour), d.kind, d.label, d.count
        FROM unnest(\(deltas.map(\.key.realm.rawValue)), \(deltas.map(\.key.hour.seconds)),
            \(deltas.map(\.key.event.kind.rawValue)), \(deltas.map(\.key.event.label)), \(deltas.map(\.count)))
            AS d (realm_id, hour, kind, label, count)
        JOIN realm r ON r.id = d.realm_id
        ORDER BY d.realm_id, d.hour, d.kind, d.label
        ON CONFLICT (realm_id, hour, kind, label) DO UPDATE SET count = h.count + excluded.count
        """
    }

    /// Selects the counts of the periods of `range`. Days come from `hourly_count` if the janitor has not added them up
    /// yet. Yesterday always does, because gateways may still add counts to it.
    static func counts(of kinds: Set<CountKind>, in range: CountRange, at now: Instant, of realm: ID<Realm>) -> SQL {
        let start = range.start(at: now)
        let kinds = kinds.map(\.rawValue).sorted()
        guard range.step == .day else {
            return """
                SELECT kind, label, extract(epoch FROM hour)::bigint AS start, count FROM hourly_count
                WHERE realm_id = \(realm.rawValue) AND hour >= \(Timestamp(start)) AND kind = ANY (\(kinds))
                """
        }
        let yesterday = Timestamp(CountStep.day.start(of: now) - .seconds(CountStep.day.seconds))
        return """
            WITH edge AS MATERIALIZED (
                SELECT least(\(utcDay(of: yesterday)), greatest(\(utcDay(of: start)),
                    (SELECT max(day) + 1 FROM daily_count WHERE realm_id = \(realm.rawValue)))) AS day)
            SELECT kind, label, extract(epoch FROM day)::bigint AS start, count FROM daily_count
            WHERE realm_id = \(realm.rawValue) AND day >= \(utcDay(of: start)) AND day < (SELECT day FROM edge)
                AND kind = ANY (\(kinds))
            UNION ALL
            SELECT kind, label, extract(epoch FROM date_trunc('day', hour, 'UTC'))::bigint, sum(count)::bigint
            FROM hourly_count WHERE realm_id = \(realm.rawValue)
                AND hour >= (SELECT day::timestamp AT TIME ZONE 'UTC' FROM edge) AND kind = ANY (\(kinds))
            GROUP BY 1, 2, 3
            """
    }

    private static func utcDay(of time: Instant) -> SQL { utcDay(of: Timestamp(time)) }

    private static func utcDay(of time: Timestamp) -> SQL { "(\(time)::timestamptz AT TIME ZONE 'UTC')::date" }

    /// Adds the hours of one UTC day to `daily_count`, for the next `limit` realms after `realm`. Repeating it changes
    /// nothing, unless counts were added to the day since.
    ///
    /// - Returns: a row with the last of these realms (`last`) and their number (`seen`).
    static func addDay(from start: Instant, after realm: String, limit: Int) -> SQL {
        let (first, end) = (Timestamp(start), Timestamp(start + .seconds(CountStep.day.seconds)))
        return """
            WITH page AS MATERIALIZED (SELECT id FROM realm WHERE id > \(realm) ORDER BY id LIMIT \(limit)),
            added AS (
                INSERT INTO daily_count AS d (realm_id, day, kind, label, count)
                SELECT h.realm_id, \(utcDay(of: start)), h.kind, h.label, sum(h.count)
                FROM page JOIN hourly_count h ON h.realm_id = page.id AND h.hour >= \(first) AND h.hour < \(end)
                GROUP BY h.realm_id, h.kind, h.label ORDER BY h.realm_id, h.kind, h.label
                ON CONFLICT (realm_id, day, kind, label) DO UPDATE SET count = excluded.count
                WHERE d.count <> excluded.count)
            SELECT max(id COLLATE "C") AS last, count(*) AS seen FROM page
            """
    }

    /// Selects the first day whose hours may be missing in `daily_count`: the one after its latest day, or the day of
    /// the earliest hour. NULL if nothing was counted.
    static let firstDayToAdd: SQL = """
        SELECT coalesce(
            (SELECT extract(epoch FROM max(day))::bigint + 86400 FROM daily_count),
            (SELECT extract(epoch FROM date_trunc('day', min(hour), 'UTC'))::bigint FROM hourly_count)) AS start
        """
}
