public import Identity
internal import Postgres

/// The feed of a project's events.
extension PostgresEventEndpointStore {
    public func events(
        after sequence: Int64, kinds: Set<AccountEvent.Kind>?, limit: Int, of project: ID<Project>
    ) async throws -> EventPage {
        let isWanted: SQL = kinds.map { SQL.isWanted($0) } ?? "true"
        // One snapshot, so that the page has all events up to the stream's number.
        return try await withStoreErrors {
            try await pool.transaction(isolation: .repeatableRead) { transaction in
                let stream = try await transaction.query(
                    """
                    SELECT s.last_sequence, (SELECT min(sequence) FROM account_event e
                        WHERE e.project_id = s.project_id) AS earliest
                    FROM event_stream s WHERE s.project_id = \(project.rawValue)
                    """
                ).first
                guard let stream else {
                    guard sequence == 0 else { throw EventEndpointRefusal.eventsExpired }
                    return EventPage(events: [], lastSequence: 0, earliestSequence: nil)
                }
                let last: Int64 = try stream.decode("last_sequence")
                let earliest: Int64? = try stream.decode("earliest")
                // After the restore of a backup, a reader can be ahead of the stream, and would miss events.
                guard sequence >= (earliest ?? last + 1) - 1, sequence <= last else {
                    throw EventEndpointRefusal.eventsExpired
                }
                let events = try await transaction.query(
                    """
                    SELECT \(StoredEventRow.columns) FROM account_event e
                    WHERE e.project_id = \(project.rawValue) AND e.sequence > \(sequence) AND \(isWanted)
                    ORDER BY e.sequence LIMIT \(limit)
                    """
                ).map(StoredEventRow.event)
                return EventPage(
                    events: events,
                    lastSequence: events.count == limit ? events.last?.sequence ?? last : last,
                    earliestSequence: earliest)
            }
        }
    }

    /// Returns the latest events up to `sequence`, the latest first.
    public func latestEvents(
        before sequence: Int64, limit: Int, of project: ID<Project>
    ) async throws -> [StoredEvent] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT \(StoredEventRow.columns) FROM account_event e
                WHERE e.project_id = \(project.rawValue) AND e.sequence <= \(sequence)
                ORDER BY e.sequence DESC LIMIT \(limit)
                """)
        }.map(StoredEventRow.event)
    }

    public func lastSequence(of project: ID<Project>) async throws -> Int64 {
        try await withStoreErrors {
            try await pool.query("SELECT last_sequence FROM event_stream WHERE project_id = \(project.rawValue)")
        }.first?.decode("last_sequence") ?? 0
    }
}
