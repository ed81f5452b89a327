internal import Encoding
internal import FoundationEssentials
public import Identity
public import Postgres

/// ``EventEndpointStore`` on PostgreSQL.
public struct PostgresEventEndpointStore: EventEndpointStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func endpoints(of project: ID<Project>) async throws -> [EventEndpoint] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT \(EventEndpointRow.columns) FROM event_endpoint p WHERE p.project_id = \(project.rawValue)
                ORDER BY p.id
                """)
        }.map(EventEndpointRow.endpoint)
    }

    public func create(
        _ endpoint: EventEndpoint, secret: [UInt8], by actor: AuditActor, of project: ID<Project>
    ) async throws {
        let note = AuditNote("eventEndpoint.added", endpoint.id.rawValue)
        _ = try await change(note, by: actor, at: endpoint.createdAt, of: project) { transaction in
            let counted = try await transaction.query(
                "SELECT count(*) AS count FROM event_endpoint WHERE project_id = \(project.rawValue)")
            guard try counted[0].decode("count", as: Int.self) < EventEndpoint.countLimit else {
                throw EventEndpointRefusal.tooMany
            }
            _ = try await transaction.execute(
                "INSERT INTO event_stream (project_id) VALUES (\(project.rawValue)) ON CONFLICT DO NOTHING")
            let inserted = try await transaction.execute(
                """
                INSERT INTO event_endpoint (project_id, id, url, kinds, includes_profile, secret, last_sequence, created_at)
                SELECT s.project_id, \(endpoint.id.rawValue), \(endpoint.url?.rawValue),
                    \(endpoint.kinds.map { $0.map(\.rawValue).sorted() }), \(endpoint.includesProfile), \(secret),
                    s.last_sequence,
                    \(Timestamp(endpoint.createdAt))
                FROM event_stream s WHERE s.project_id = \(project.rawValue)
                ON CONFLICT (project_id, id) DO NOTHING
                """)
            guard inserted == 1 else { throw StoreConflict.taken(.id) }
            return true
        }
    }

    public func update(
        _ endpoint: EventEndpoint, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool {
        try await change(
            AuditNote("eventEndpoint.changed", endpoint.id.rawValue), by: actor, at: now, of: project
        ) { transaction in
            try await transaction.execute(
                """
                UPDATE event_endpoint SET url = \(endpoint.url?.rawValue),
                    kinds = \(endpoint.kinds.map { $0.map(\.rawValue).sorted() }),
                    includes_profile = \(endpoint.includesProfile)
                WHERE project_id = \(project.rawValue) AND id = \(endpoint.id.rawValue)
                """) == 1
        }
    }

    public func delete(
        _ id: ID<EventEndpoint>, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool {
        try await change(AuditNote("eventEndpoint.removed", id.rawValue), by: actor, at: now, of: project) {
            try await $0.execute(
                "DELETE FROM event_endpoint WHERE project_id = \(project.rawValue) AND id = \(id.rawValue)") == 1
        }
    }

    public func replaceSecret(
        of id: ID<EventEndpoint>, by sealed: [UInt8], keepingFormerUntil end: Instant?, by actor: AuditActor,
        at now: Instant, of project: ID<Project>
    ) async throws -> Bool {
        let former: SQL = end == nil ? "NULL" : "secret"
        return try await change(
            AuditNote("eventEndpoint.secretRotated", id.rawValue), by: actor, at: now, of: project
        ) {
            try await $0.execute(
                """
                UPDATE event_endpoint SET previous_secret = \(former),
                    previous_secret_expires_at = \(end.map { Timestamp($0) }), secret = \(sealed)
                WHERE project_id = \(project.rawValue) AND id = \(id.rawValue)
                """) == 1
        }
    }

    public func enable(
        _ id: ID<EventEndpoint>, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws -> Bool {
        try await change(AuditNote("eventEndpoint.enabled", id.rawValue), by: actor, at: now, of: project) {
            transaction in
            _ = try await transaction.execute(
                """
                UPDATE event_delivery SET due_at = \(Timestamp(now))
                WHERE due_at > \(Timestamp(now)) AND project_id = \(project.rawValue) AND endpoint_id = \(id.rawValue) AND state = 'pending'
                """)
            return try await transaction.execute(
                """
                UPDATE event_endpoint SET failures = 0, failing_since = NULL, attempt_after = NULL,
                    disabled_at = NULL, disabled_reason = NULL
                WHERE project_id = \(project.rawValue) AND id = \(id.rawValue)
                """) == 1
        }
    }

    public func replay(
        _ replay: EventReplay, to endpoint: EventEndpoint, by actor: AuditActor, at now: Instant,
        of project: ID<Project>
    ) async throws -> Int {
        let ids = try replay.ids?.map { try UUID(ID<StoredEvent>($0)) }
        let selected: SQL = if let ids { "e.id = ANY (\(ids))" } else { "true" }
        let until: SQL = if let until = replay.until { "e.sequence <= \(until)" } else { "true" }
        // An event after the cursor is delivered anyway. The time changes in any case: it tells the process that has
        // the event in flight that it was asked for again.
        let statement: SQL = """
            INSERT INTO event_delivery AS d (project_id, endpoint_id, sequence, state, attempts, due_at)
            SELECT e.project_id, p.id, e.sequence, 'pending', 0, \(Timestamp(now))
            FROM account_event e JOIN event_endpoint p ON p.project_id = e.project_id AND p.id = \(endpoint.id.rawValue)
            WHERE e.project_id = \(project.rawValue) AND e.sequence > \(replay.after) AND \(until)
                AND e.sequence <= p.last_sequence AND \(SQL.isWanted(replay.kinds ?? endpoint.kinds)) AND \(selected)
            ORDER BY e.sequence LIMIT \(EventReplay.limit)
            ON CONFLICT (project_id, endpoint_id, sequence) DO UPDATE
            SET state = 'pending', attempts = 0, due_at = CASE WHEN d.due_at = excluded.due_at
                THEN excluded.due_at + interval '1 microsecond' ELSE excluded.due_at END
            """
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                let count = try await transaction.execute(statement)
                try await transaction.audit(
                    [AuditNote("eventEndpoint.replayed", endpoint.id.rawValue, ["count": String(count)])], by: actor,
                    at: now, in: ID(project))
                return count
            }
        }
    }

    public func deliveries(
        to id: ID<EventEndpoint>, state: EndpointDelivery.State?, after sequence: Int64, limit: Int,
        of project: ID<Project>
    ) async throws -> [EndpointDelivery] {
        let hasState: SQL = if let state { "d.state = \(state.rawValue)" } else { "true" }
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT d.sequence AS delivered_sequence, d.state, d.attempts, d.due_at, d.attempted_at, d.status,
                    d.failure, e.project_id IS NOT NULL AS has_event, \(StoredEventRow.columns)
                FROM event_delivery d
                LEFT JOIN account_event e ON e.project_id = d.project_id AND e.sequence = d.sequence
                WHERE d.project_id = \(project.rawValue) AND d.endpoint_id = \(id.rawValue)
                    AND d.sequence > \(sequence) AND \(hasState)
                ORDER BY d.sequence LIMIT \(limit)
                """)
        }.map(EndpointDelivery.init)
    }

    /// Changes the endpoints of a project, and with them the kinds of events that the project records.
    private func change(
        _ note: AuditNote, by actor: AuditActor, at now: Instant, of project: ID<Project>,
        _ change: @escaping (Transaction) async throws -> Bool
    ) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: project), try await change(transaction) else {
                    return false
                }
                _ = try await transaction.execute(
                    """
                    UPDATE realm SET event_kinds = ARRAY(
                        SELECT DISTINCT k.name FROM event_endpoint p,
                            unnest(coalesce(p.kinds, ARRAY[\(EventKindsColumn.ordinary)])) AS k (name)
                        WHERE p.project_id = \(project.rawValue) ORDER BY k.name)
                    WHERE id = \(project.rawValue)
                    """)
                try await transaction.audit([note], by: actor, at: now, in: ID(project))
                return true
            }
        }
    }
}

extension EndpointDelivery {
    fileprivate init(_ row: Row) throws {
        self.init(
            sequence: try row.decode("delivered_sequence"),
            event: try row.decode("has_event") ? StoredEventRow.event(row) : nil,
            state: EndpointDelivery.State(rawValue: try row.decode("state")) ?? .pending,
            attempts: try row.decode("attempts"), dueAt: try row.eventTime("due_at"),
            attemptedAt: try row.eventTime("attempted_at"), status: try row.decode("status"),
            failure: try row.decode("failure"))
    }
}
