internal import Encoding
public import FoundationEssentials
public import Identity
public import Postgres

/// Numbers the events of projects, and finds and records the deliveries to endpoints. One process at a time does this
/// for a project: the one that holds the project's lease. The lease only saves work; a process that has lost it without
/// noticing cannot number an event twice, or move a cursor back.
public struct EventDispatchStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Takes free leases, and renews those of `holder`, for fifteen seconds of PostgreSQL's clock.
    ///
    /// - Returns: the projects whose leases `holder` has.
    public func claimLeases(of holder: UUID) async throws -> [ID<Project>] {
        try await withStoreErrors {
            try await pool.query(
                """
                WITH free AS MATERIALIZED (
                    SELECT s.project_id FROM event_stream s
                    WHERE (lease_holder = \(holder) OR lease_expires_at IS NULL OR lease_expires_at < now())
                        AND \(Self.isNotDeleted)
                    ORDER BY s.project_id FOR UPDATE OF s SKIP LOCKED)
                UPDATE event_stream s SET lease_holder = \(holder), lease_expires_at = now() + interval '15 seconds'
                FROM free WHERE s.project_id = free.project_id RETURNING s.project_id
                """)
        }.map { ID(try $0.decode("project_id")) }
    }

    /// A condition for an `event_stream s`: after the deletion of its project, nothing is sent.
    private static let isNotDeleted: SQL =
        "EXISTS (SELECT FROM realm r WHERE r.id = s.project_id AND r.deleted_at IS NULL)"

    /// Gives up all leases of `holder`, so that another process can take them at once.
    public func releaseLeases(of holder: UUID) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE event_stream SET lease_holder = NULL, lease_expires_at = NULL WHERE lease_holder = \(holder)
                """)
        }
    }

    /// Returns which of `projects` have events that are not numbered.
    public func projectsToNumber(among projects: [ID<Project>]) async throws -> [ID<Project>] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT p.id FROM unnest(\(projects.map(\.rawValue))) AS p (id)
                WHERE EXISTS (SELECT FROM outbox o WHERE o.project_id = p.id)
                """)
        }.map { ID(try $0.decode("id")) }
    }

    /// Numbers at most `limit` committed events of a project, in the order of their times.
    ///
    /// The transaction locks the row of the stream first. A number is therefore visible only if all lower numbers are.
    ///
    /// - Returns: how many were numbered.
    public func number(_ project: ID<Project>, limit: Int) async throws -> Int {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                // A separate statement, so that the next one sees what the previous holder of the lock has committed.
                let row = try await transaction.query(
                    "SELECT last_sequence FROM event_stream WHERE project_id = \(project.rawValue) FOR UPDATE")
                guard let last = try row.first?.decode("last_sequence", as: Int64.self) else { return 0 }
                let moved = try await transaction.query(Self.numbering(of: project, after: last, limit: limit))
                return Int(try (moved.first?.decode("last_sequence", as: Int64.self) ?? last) - last)
            }
        }
    }

    /// Deletes rows by their place (`ctid`), and by nothing else: with a join on their keys, or a condition on the
    /// project, a plan that was made while the table was empty, as it usually is, compares every row of the project with
    /// every row of the batch. No statement updates a row of `outbox`.
    static func numbering(of project: ID<Project>, after last: Int64, limit: Int) -> SQL {
        """
        WITH moved AS (
            DELETE FROM outbox o WHERE o.ctid = ANY (ARRAY(
                SELECT i.ctid FROM outbox i WHERE i.project_id = \(project.rawValue)
                ORDER BY i.created_at, i.id LIMIT \(limit)))
            RETURNING o.id, o.realm_id, o.kind, o.account_id, o.actor, o.data, o.created_at),
        inserted AS (
            INSERT INTO account_event (project_id, sequence, id, realm_id, kind, account_id, actor, data,
                created_at)
            SELECT \(project.rawValue), \(last) + row_number() OVER (ORDER BY m.created_at, m.id), m.id,
                m.realm_id, m.kind, m.account_id, m.actor, m.data, m.created_at
            FROM moved m RETURNING sequence)
        UPDATE event_stream SET last_sequence = \(last) + (SELECT count(*) FROM inserted)
        WHERE project_id = \(project.rawValue) RETURNING last_sequence
        """
    }

    /// An endpoint of a project.
    public struct Key: Hashable, Sendable {
        public let project: ID<Project>
        public let endpoint: ID<EventEndpoint>

        public init(project: ID<Project>, endpoint: ID<EventEndpoint>) {
            self.project = project
            self.endpoint = endpoint
        }
    }

    /// Returns the endpoints of `projects` that can get an event now.
    public func dueEndpoints(of projects: [ID<Project>], at now: Instant) async throws -> [Key] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT p.project_id, p.id FROM event_endpoint p JOIN event_stream s ON s.project_id = p.project_id
                WHERE p.project_id = ANY (\(projects.map(\.rawValue))) AND p.url IS NOT NULL AND p.disabled_at IS NULL
                    AND \(Self.isNotDeleted)
                    AND (p.failing_since <= \(Timestamp(now - EndpointHealth.patience))
                        OR (p.attempt_after IS NULL OR p.attempt_after <= \(Timestamp(now)))
                            AND (p.last_sequence < s.last_sequence OR EXISTS (SELECT FROM event_delivery d
                                WHERE d.project_id = p.project_id AND d.endpoint_id = p.id AND d.state = 'pending'
                                    AND d.due_at <= \(Timestamp(now)))))
                ORDER BY p.project_id, p.id
                """)
        }.map { Key(project: ID(try $0.decode("project_id")), endpoint: ID(try $0.decode("id"))) }
    }

    /// An endpoint with its encrypted secrets.
    public struct Target: Sendable {
        public let key: Key
        public let endpoint: EventEndpoint
        public let url: CallbackURL
        public let secret: [UInt8]
        public let previousSecret: [UInt8]?
        public let previousSecretExpiresAt: Instant?
        /// The last numbered event of the project.
        public let streamSequence: Int64
        /// The process whose lease of the project has not expired.
        public let leaseHolder: UUID?
    }

    /// Returns the endpoint as it is now; `nil` if it does not exist or has no URL, or the project was deleted.
    public func target(_ key: Key) async throws -> Target? {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT \(EventEndpointRow.columns), p.secret, p.previous_secret, p.previous_secret_expires_at,
                    s.last_sequence AS stream_sequence, s.lease_holder,
                    s.lease_expires_at > now() AS has_lease
                FROM event_endpoint p JOIN event_stream s ON s.project_id = p.project_id
                WHERE p.project_id = \(key.project.rawValue) AND p.id = \(key.endpoint.rawValue)
                    AND \(Self.isNotDeleted)
                """)
        }.first.flatMap { try Target($0) }
    }

    /// An event to send, and how often it was sent before.
    public struct Dispatch: Sendable {
        public let event: StoredEvent
        public let attempts: Int
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
                Dispatch(event: try StoredEventRow.event($0), attempts: try $0.decode("attempts"))
            },
            expired: try expired.map {
                Result(
                    sequence: try $0.decode("delivery_sequence"), state: .failed, attempts: try $0.decode("attempts"),
                    dueAt: nil, status: nil, failure: "expired")
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
            SELECT \(StoredEventRow.columns), d.attempts, d.sequence AS delivery_sequence,
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
        }.map { Dispatch(event: try StoredEventRow.event($0), attempts: 0) }
    }

    /// The result of one attempt.
    public struct Result: Sendable {
        public let sequence: Int64
        public let state: EndpointDelivery.State
        public let attempts: Int
        public let dueAt: Instant?
        public let status: Int?
        public let failure: String?

        public init(
            sequence: Int64, state: EndpointDelivery.State, attempts: Int, dueAt: Instant?, status: Int?,
            failure: String?
        ) {
            self.sequence = sequence
            self.state = state
            self.attempts = attempts
            self.dueAt = dueAt
            self.status = status
            self.failure = failure
        }
    }

    /// Records the results of attempts, and moves the endpoint's cursor.
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
                _ = try await transaction.execute(
                    """
                    INSERT INTO event_delivery (project_id, endpoint_id, sequence, state, attempts, due_at,
                        attempted_at, status, failure)
                    SELECT \(key.project.rawValue), \(key.endpoint.rawValue), r.sequence, r.state, r.attempts::integer,
                        \(SQL.timestamptz(microseconds: "r.due_at")), \(Timestamp(now)), r.status::integer, r.failure
                    FROM unnest(\(results.map(\.sequence)), \(results.map(\.state.rawValue)),
                        \(results.map(\.attempts)), \(results.map { $0.dueAt?.microseconds }),
                        \(results.map(\.status)), \(results.map(\.failure)))
                        AS r (sequence, state, attempts, due_at, status, failure)
                    ON CONFLICT (project_id, endpoint_id, sequence) DO UPDATE
                    SET state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at,
                        attempted_at = excluded.attempted_at, status = excluded.status, failure = excluded.failure
                    """)
                return true
            }
        }
    }

    /// The state of an endpoint, for the metrics.
    public struct EndpointState: Sendable {
        public let key: Key
        /// The age of the oldest event that was not sent to the endpoint.
        public let lag: Duration
        public let isDisabled: Bool
    }

    /// Returns the states of the endpoints with a URL.
    public func endpointStates(of projects: [ID<Project>], at now: Instant) async throws -> [EndpointState] {
        guard !projects.isEmpty else { return [] }
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT p.project_id, p.id, p.disabled_at IS NOT NULL AS is_disabled, (SELECT e.created_at
                    FROM account_event e WHERE e.project_id = p.project_id AND e.sequence > p.last_sequence
                    ORDER BY e.sequence LIMIT 1) AS oldest
                FROM event_endpoint p
                WHERE p.project_id = ANY (\(projects.map(\.rawValue))) AND p.url IS NOT NULL
                ORDER BY p.project_id, p.id LIMIT 1000
                """)
        }.map { row in
            EndpointState(
                key: Key(project: ID(try row.decode("project_id")), endpoint: ID(try row.decode("id"))),
                lag: try row.eventTime("oldest").map { max(.zero, now - $0) } ?? .zero,
                isDisabled: try row.decode("is_disabled"))
        }
    }

    /// Returns figures for the metrics.
    public func backlog(at now: Instant) async throws -> Backlog {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT (SELECT min(o.created_at) FROM event_stream s CROSS JOIN LATERAL (
                        SELECT created_at FROM outbox WHERE project_id = s.project_id ORDER BY created_at, id LIMIT 1) o
                        WHERE \(Self.isNotDeleted)) AS oldest,
                    (SELECT count(*) FROM event_endpoint WHERE disabled_at IS NOT NULL) AS disabled,
                    (SELECT max(s.last_sequence - p.last_sequence) FROM event_endpoint p
                        JOIN event_stream s ON s.project_id = p.project_id WHERE p.url IS NOT NULL) AS behind
                """)
        }
        guard let row = rows.first else { return Backlog(oldestUnnumbered: .zero, disabled: 0, behind: 0) }
        return Backlog(
            oldestUnnumbered: try row.eventTime("oldest").map { max(.zero, now - $0) } ?? .zero,
            disabled: try row.decode("disabled"), behind: try row.decode("behind", as: Int?.self) ?? 0)
    }

    public struct Backlog: Sendable {
        /// The age of the oldest event that is not numbered.
        public let oldestUnnumbered: Duration
        /// The number of disabled endpoints.
        public let disabled: Int
        /// The largest number of events that an endpoint is behind its project.
        public let behind: Int
    }
}

extension EventDispatchStore.Target {
    fileprivate init?(_ row: Row) throws {
        let endpoint = try EventEndpointRow.endpoint(row)
        guard let url = endpoint.url else { return nil }
        key = EventDispatchStore.Key(project: ID(try row.decode("project_id")), endpoint: endpoint.id)
        self.endpoint = endpoint
        self.url = url
        secret = try row.decode("secret")
        previousSecret = try row.decode("previous_secret")
        previousSecretExpiresAt = try row.eventTime("previous_secret_expires_at")
        streamSequence = try row.decode("stream_sequence")
        leaseHolder = try row.decode("has_lease", as: Bool?.self) == true ? row.decode("lease_holder") : nil
    }
}
