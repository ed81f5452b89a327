internal import Encoding
internal import FoundationEssentials
public import Identity
public import Postgres

/// Reads the audit trail, and records operations that change nothing else in the database. Other operations insert
/// their events in the transactions that make their changes. Events are never changed, except that an event of an
/// action that a client can repeat without limit counts its repetitions; see ``AuditNote/coalescingKey(by:at:in:)``.
/// The janitor deletes events after the retention period.
public struct AuditStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the events that `query` selects, at most ``AuditQuery/limit``.
    public func page(_ query: AuditQuery, in realm: ID<Realm>) async throws -> [AuditEvent] {
        let statement = try SQL.auditEvents(query, in: realm)
        return try await pool.withLongQueries(in: realm) { try await pool.query(statement) }.map(AuditEvent.init)
    }

    public var trail: AuditTrail {
        AuditTrail {
            try await page($0, in: $1)
        } record: { note, actor, realm, now in
            let statement = try SQL.audit([note], by: actor, at: now, in: realm, forEachRowOf: .singleRow)
            _ = try await withStoreErrors { try await pool.execute(statement) }
        }
    }
}

extension Transaction {
    /// Inserts an event for each of `notes`. A note states what an action changed; the event adds the actor and the
    /// time.
    func audit(_ notes: [AuditNote], by actor: AuditActor, at now: Instant, in realm: ID<Realm>) async throws {
        guard !notes.isEmpty else { return }
        _ = try await execute(.audit(notes, by: actor, at: now, in: realm, forEachRowOf: .singleRow))
    }
}

extension SQL {
    /// Inserts an event for each of `notes`, once for each row of `source`.
    static func audit(
        _ notes: [AuditNote], by actor: AuditActor, at now: Instant, in realm: ID<Realm>, forEachRowOf source: SQL
    ) throws -> SQL {
        let details = try notes.map { try json($0.detail.merging(actor.detail) { $1 }) }
        let keys = notes.map { $0.coalescingKey(by: actor, at: now, in: realm) }
        let insertion = insertAuditEvents(
            id: "coalesce(left(encode(sha256(convert_to(n.key, 'UTF8')), 'hex'), 32)::uuid, gen_random_uuid())",
            by: actor, at: now,
            """
            \(realm.rawValue), n.action, n.subject, n.detail::jsonb FROM \(source),
            unnest(\(notes.map(\.action)), \(notes.map(\.subject)), \(details), \(keys))
                AS n (action, subject, detail, key)
            """)
        guard keys.contains(where: { $0 != nil }) else { return insertion }
        return "\(insertion) \(countingRepetition(at: now))"
    }

    /// The end of an insertion that instead changes the event that has the same ID, if there is one: the event of the
    /// first action in its window. It then also has the number of repetitions, the time and the request of the latest
    /// one, and the sessions of the first hundred actions and of the latest one.
    private static func countingRepetition(at now: Instant) -> SQL {
        """
        ON CONFLICT (id) DO UPDATE SET detail = audit_event.detail || jsonb_strip_nulls(jsonb_build_object(
            'repeated', (coalesce((audit_event.detail->>'repeated')::bigint, 0) + 1)::text,
            'lastOccurredAt', \(now.iso8601)::text, 'lastRequestId', excluded.request_id,
            'sessionId', CASE WHEN coalesce((audit_event.detail->>'repeated')::bigint, 0) < \(AuditNote.idLimit - 1)
                THEN (audit_event.detail->>'sessionId') || ' ' || (excluded.detail->>'sessionId')
                ELSE audit_event.detail->>'sessionId' END,
            'lastSessionId', excluded.detail->>'sessionId'))
        """
    }

    /// Inserts one audit event for each deleted account in `source`.
    static func auditDeletions(
        of source: SQL, as kind: AccountEvent.Kind, by actor: AuditActor, at now: Instant
    ) throws -> SQL {
        insertAuditEvents(
            id: "gen_random_uuid()", by: actor, at: now,
            "realm_id, \(kind.rawValue), id, \(try json(actor.detail))::jsonb FROM \(source)")
    }

    /// Inserts an audit event for each role of a deleted account in `source`, in the trail of the role's project. The
    /// row of the role goes with the account, after the statement.
    static func auditRemovedRoles(of source: SQL, by actor: AuditActor, at now: Instant) throws -> SQL {
        insertAuditEvents(
            id: "gen_random_uuid()", by: actor, at: now,
            """
            m.project_id, \("administrator.removed"), m.account_id, \(try json(actor.detail))::jsonb
            FROM \(source) d JOIN administrator m ON m.realm_id = d.realm_id AND m.account_id = d.id
            """)
    }

    private static func json(_ detail: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(detail), as: UTF8.self)
    }

    /// - Parameter selection: the end of the `SELECT`: project, action, subject and detail of each event, and the
    ///   `FROM` clause.
    private static func insertAuditEvents(
        id: SQL, by actor: AuditActor, at now: Instant, _ selection: SQL
    ) -> SQL {
        """
        INSERT INTO audit_event (id, actor, occurred_at, network, request_id, realm_id, action, subject, detail)
        SELECT \(id), \(actor.name), \(Timestamp(now)), \(actor.trace.network), \(actor.trace.requestID),
            \(selection)
        """
    }

    static func auditEvents(_ query: AuditQuery, in realm: ID<Realm>) throws -> SQL {
        let (order, isBeyond): (SQL, SQL) = query.isOldestFirst ? ("ASC", ">") : ("DESC", "<")
        var conditions: SQL = "realm_id = \(realm.rawValue)"
        if let subject = query.subject { conditions = "\(conditions) AND subject = \(subject)" }
        if let actor = query.actor { conditions = "\(conditions) AND actor = \(actor)" }
        if let action = query.action { conditions = "\(conditions) AND action = \(action)" }
        if let since = query.since { conditions = "\(conditions) AND occurred_at >= \(Timestamp(since))" }
        if let until = query.until { conditions = "\(conditions) AND occurred_at < \(Timestamp(until))" }
        if let cursor = query.cursor {
            let id = try UUID(ID<AuditEvent>(cursor.id))
            conditions = """
                \(conditions) AND (occurred_at, id) \(isBeyond) (\(Timestamp(cursor.time)), \(id))
                """
        }
        return """
            SELECT id, actor, action, subject, detail::text AS detail, occurred_at, network, request_id
            FROM audit_event WHERE \(conditions)
            ORDER BY occurred_at \(order), id \(order) LIMIT \(query.limit)
            """
    }
}

extension AuditEvent {
    init(_ row: Row) throws {
        let detail = try JSONDecoder().decode(
            [String: String].self, from: Data(try row.decode("detail", as: String.self).utf8))
        self.init(
            id: UUIDText.text(try row.decode("id", as: UUID.self)),
            note: AuditNote(try row.decode("action"), try row.decode("subject"), detail),
            actor: try row.decode("actor"),
            trace: RequestTrace(network: try row.decode("network"), requestID: try row.decode("request_id")),
            occurredAt: Instant(try row.decode("occurred_at")))
    }
}
