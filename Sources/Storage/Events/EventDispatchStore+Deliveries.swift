public import Identity
internal import Postgres

/// The deliveries to one endpoint.
extension EventDispatchStore {
    /// An event to send, and how often it was sent before.
    public struct Dispatch: Sendable {
        public let event: StoredEvent
        public let attempts: Int
        /// When the attempt was due; `nil` for the first one of an event after the cursor.
        public let dueAt: Instant?
    }

    /// Deliveries that wait for another attempt.
    public struct Waiting: Sendable {
        /// The earliest first.
        public let dispatches: [Dispatch]
        /// Those whose events have been deleted after the retention period: they have failed.
        public let expired: [Result]
    }

    /// Returns deliveries that wait for another attempt, the earliest first.
    ///
    /// - Parameter now: `nil` for deliveries that are not due, too.
    public func waitingDeliveries(to key: Key, dueAt now: Instant?, limit: Int) async throws -> Waiting {
        let rows = try await withStoreErrors {
            try await pool.query(Self.waitingDeliveries(to: key, dueAt: now, limit: limit))
        }
        let (kept, expired) = (
            try rows.filter { try $0.decode("has_event") }, try rows.filter { try !$0.decode("has_event") }
        )
        return Waiting(
            dispatches: try kept.map {
                Dispatch(
                    event: try StoredEventRow.event($0), attempts: try $0.decode("attempts"),
                    dueAt: try $0.eventTime("due_at"))
            },
            expired: try expired.map {
                Result(
                    sequence: try $0.decode("delivery_sequence"), wasDueAt: try $0.eventTime("due_at"),
                    state: .failed, attempts: try $0.decode("attempts"), dueAt: nil, status: nil, failure: "expired")
            })
    }

    /// The limit applies before the join, so that no plan reads all waiting deliveries.
    static func waitingDeliveries(to key: Key, dueAt now: Instant?, limit: Int) -> SQL {
        let isDue: SQL = if let now { "d.due_at <= \(Timestamp(now))" } else { "true" }
        return """
            WITH waiting AS MATERIALIZED (
                SELECT d.project_id, d.sequence, d.attempts, d.due_at FROM event_delivery d
                WHERE d.project_id = \(key.project.rawValue) AND d.endpoint_id = \(key.endpoint.rawValue)
                    AND d.state = 'pending' AND \(isDue)
                ORDER BY d.due_at, d.sequence LIMIT \(limit))
            SELECT \(StoredEventRow.columns), d.attempts, d.due_at, d.sequence AS delivery_sequence,
                e.project_id IS NOT NULL AS has_event
            FROM waiting d
            LEFT JOIN account_event e ON e.project_id = d.project_id AND e.sequence = d.sequence
            ORDER BY d.due_at, d.sequence
            """
    }

    /// Returns the events after the endpoint's cursor that it wants, at most `limit`.
    public func newEvents(for target: Target, limit: Int) async throws -> [Dispatch] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT \(StoredEventRow.columns) FROM account_event e
                WHERE e.project_id = \(target.key.project.rawValue) AND e.sequence > \(target.endpoint.lastSequence)
                    AND e.sequence <= \(target.streamSequence) AND \(SQL.isWanted(target.endpoint.kinds))
                ORDER BY e.sequence LIMIT \(limit)
                """)
        }.map { Dispatch(event: try StoredEventRow.event($0), attempts: 0, dueAt: nil) }
    }

    /// The result of one attempt.
    public struct Result: Sendable {
        public let sequence: Int64
        /// See ``Dispatch/dueAt``.
        public let wasDueAt: Instant?
        public let state: EndpointDelivery.State
        public let attempts: Int
        public let dueAt: Instant?
        public let status: Int?
        public let failure: String?

        public init(
            sequence: Int64, wasDueAt: Instant?, state: EndpointDelivery.State, attempts: Int, dueAt: Instant?,
            status: Int?, failure: String?
        ) {
            self.sequence = sequence
            self.wasDueAt = wasDueAt
            self.state = state
            self.attempts = attempts
            self.dueAt = dueAt
            self.status = status
            self.failure = failure
        }
    }

    /// Records the results of attempts, and moves the endpoint's cursor. A delivery that became due at another time
    /// during the attempt stays pending: an operator has asked for the event again.
    ///
    /// - Returns: `false` if another process has moved the cursor, or the endpoint was deleted or disabled; nothing is
    ///   recorded then.
    public func record(
        _ results: [Result], movingCursorTo sequence: Int64, health: EndpointHealth, of target: Target, at now: Instant
    ) async throws -> Bool {
        let key = target.key
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                let moved = try await transaction.execute(
                    """
                    UPDATE event_endpoint SET last_sequence = \(sequence), failures = \(health.failures),
                        failing_since = \(health.failingSince.map { Timestamp($0) }),
                        attempt_after = \(health.attemptAfter.map { Timestamp($0) }),
                        last_success_at = coalesce(\(health.lastSuccessAt.map { Timestamp($0) }), last_success_at),
                        disabled_at = \(health.disabledAt.map { Timestamp($0) }),
                        disabled_reason = \(health.disabledReason?.rawValue)
                    WHERE project_id = \(key.project.rawValue) AND id = \(key.endpoint.rawValue)
                        AND last_sequence = \(target.endpoint.lastSequence) AND disabled_at IS NULL
                    """)
                guard moved == 1 else { return false }
                guard !results.isEmpty else { return true }
                _ = try await transaction.execute(Self.record(results, of: key, at: now))
                return true
            }
        }
    }

    private static func record(_ results: [Result], of key: Key, at now: Instant) -> SQL {
        """
        WITH result AS (
            SELECT r.sequence, r.state, r.attempts::integer, r.status::integer, r.failure,
                \(SQL.timestamptz(microseconds: "r.was_due_at")) AS was_due_at,
                \(SQL.timestamptz(microseconds: "r.due_at")) AS due_at
            FROM unnest(\(results.map(\.sequence)), \(results.map { $0.wasDueAt?.microseconds }),
                \(results.map(\.state.rawValue)), \(results.map(\.attempts)),
                \(results.map { $0.dueAt?.microseconds }), \(results.map(\.status)), \(results.map(\.failure)))
                AS r (sequence, was_due_at, state, attempts, due_at, status, failure)),
        repeated AS (
            UPDATE event_delivery d SET state = r.state, attempts = r.attempts, due_at = r.due_at,
                attempted_at = \(Timestamp(now)), status = r.status, failure = r.failure
            FROM result r
            WHERE d.project_id = \(key.project.rawValue) AND d.endpoint_id = \(key.endpoint.rawValue)
                AND d.sequence = r.sequence AND d.state = 'pending' AND d.due_at = r.was_due_at)
        INSERT INTO event_delivery AS d (project_id, endpoint_id, sequence, state, attempts, due_at, attempted_at,
            status, failure)
        SELECT \(key.project.rawValue), \(key.endpoint.rawValue), r.sequence, r.state, r.attempts, r.due_at,
            \(Timestamp(now)), r.status, r.failure
        FROM result r WHERE r.was_due_at IS NULL
        ON CONFLICT (project_id, endpoint_id, sequence) DO UPDATE
        SET state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at,
            attempted_at = excluded.attempted_at, status = excluded.status, failure = excluded.failure
        WHERE d.state <> 'pending'
        """
    }
}
