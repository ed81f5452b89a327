internal import Encoding
public import FoundationEssentials
public import Identity
public import Postgres

/// Numbers the events of projects, and finds and records the deliveries to endpoints. One process at a time does this
/// for a project: the one that holds the project's lease. The lease only saves work; a process that has lost it without
/// noticing cannot number an event twice, or move a cursor back.
public struct EventDispatchStore: Sendable {
    let pool: Pool

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
    static let isNotDeleted: SQL =
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
    /// project, a plan that was made while the table was empty, as it usually is, compares every row of the project
    /// with every row of the batch. No statement updates a row of `outbox`.
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
