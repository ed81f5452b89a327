internal import Encoding
internal import FoundationEssentials
public import Identity
public import Postgres

/// ``WorkQueueStore`` on PostgreSQL.
public struct PostgresWorkQueueStore: WorkQueueStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func items(of queue: WorkQueue, limit: Int, in project: ID<Project>) async throws -> [QueueItem] {
        let statement = SQL.items(of: queue, limit: limit, in: project)
        return try await withStoreErrors { try await pool.query(statement) }.map { row in
            QueueItem(
                id: try row.decode("item"), realm: ID(try row.decode("realm_id")), kind: try row.decode("kind"),
                attempts: try row.decode("attempts"), createdAt: Instant(try row.decode("created_at")),
                dueAt: try row.decode("due_at", as: Timestamp?.self).map { Instant($0) },
                failure: try row.decode("failure"))
        }
    }

    public func apply(
        _ change: QueueItemChange, to item: String, of queue: WorkQueue, by actor: AuditActor, at now: Instant,
        in project: ID<Project>
    ) async throws -> Bool {
        guard let statement = SQL.apply(change, to: item, of: queue, at: now, in: project) else { return false }
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                guard let row = try await transaction.query(statement).first else { return false }
                let detail = ["queue": queue.rawValue, "kind": try row.decode("kind", as: String.self)]
                try await transaction.audit(
                    [AuditNote("queueItem.\(change.rawValue)", item, detail)], by: actor, at: now, in: ID(project))
                return true
            }
        }
    }
}

extension SQL {
    private static func isOf(_ project: ID<Project>) -> SQL { "\(SQL.projectOfRow) = \(project.rawValue)" }

    private static let purposeOfMessage: SQL = "CASE WHEN account_id IS NULL THEN 'SIGN_IN' ELSE 'SECOND_FACTOR' END"
    private static let isRevocation: SQL = "state = 'REVOKING' AND token_type <> 'CODE'"

    fileprivate static func items(of queue: WorkQueue, limit: Int, in project: ID<Project>) -> SQL {
        switch queue {
        case .emails:
            """
            SELECT id::text AS item, realm_id, kind, attempts::bigint AS attempts, created_at,
                CASE WHEN failed_at IS NULL THEN due_at END AS due_at, failure
            FROM outgoing_email WHERE \(isOf(project)) ORDER BY created_at DESC, id LIMIT \(limit)
            """
        case .textMessages:
            """
            SELECT id::text AS item, realm_id, \(purposeOfMessage) AS kind, attempts::bigint AS attempts, created_at,
                CASE WHEN failed_at IS NULL AND due_at < 'infinity' THEN due_at END AS due_at, failure
            FROM outgoing_sms WHERE \(isOf(project)) ORDER BY created_at DESC, id LIMIT \(limit)
            """
        case .appleRevocations:
            """
            SELECT id::text AS item, realm_id, client_id AS kind, attempts::bigint AS attempts, created_at, due_at,
                failure
            FROM apple_grant WHERE \(isOf(project)) AND \(isRevocation) ORDER BY created_at DESC, id LIMIT \(limit)
            """
        case .eventDeliveries:
            """
            SELECT d.endpoint_id || ':' || d.sequence AS item, d.project_id AS realm_id, e.kind,
                d.attempts::bigint AS attempts, e.created_at, d.due_at, d.failure
            FROM (SELECT * FROM event_delivery WHERE project_id = \(project.rawValue) AND state = 'pending'
                ORDER BY endpoint_id, due_at, sequence LIMIT \(limit)) d
            JOIN account_event e ON e.project_id = d.project_id AND e.sequence = d.sequence
            ORDER BY d.sequence DESC
            """
        }
    }

    /// Returns a statement that changes an item and returns its kind; `nil` if no item can have the ID.
    fileprivate static func apply(
        _ change: QueueItemChange, to item: String, of queue: WorkQueue, at now: Instant, in project: ID<Project>
    ) -> SQL? {
        if queue == .eventDeliveries { return apply(change, toDelivery: item, at: now, in: project) }
        guard let id = UUID(uuidString: item) else { return nil }
        let (time, isOfProject) = (Timestamp(now), isOf(project))
        return switch (queue, change) {
        case (.emails, .retry):
            """
            UPDATE outgoing_email SET due_at = \(time), failed_at = NULL
            WHERE id = \(id) AND \(isOfProject) AND expires_at > \(time) RETURNING kind
            """
        case (.emails, .cancel):
            "DELETE FROM outgoing_email WHERE id = \(id) AND \(isOfProject) RETURNING kind"
        case (.textMessages, .retry):
            """
            UPDATE outgoing_sms SET due_at = \(time)
            WHERE id = \(id) AND \(isOfProject) AND failed_at IS NULL AND due_at < 'infinity' AND expires_at > \(time)
            RETURNING \(purposeOfMessage) AS kind
            """
        case (.textMessages, .cancel):
            "DELETE FROM outgoing_sms WHERE id = \(id) AND \(isOfProject) RETURNING \(purposeOfMessage) AS kind"
        case (.appleRevocations, .retry):
            """
            UPDATE apple_grant SET due_at = \(time) WHERE id = \(id) AND \(isOfProject) AND \(isRevocation)
            RETURNING client_id AS kind
            """
        case (.appleRevocations, .cancel):
            """
            DELETE FROM apple_grant WHERE id = \(id) AND \(isOfProject) AND \(isRevocation)
            RETURNING client_id AS kind
            """
        case (.eventDeliveries, _): nil
        }
    }

    /// The time of a repeated delivery changes in any case: it tells the process that has the event in flight.
    private static func apply(
        _ change: QueueItemChange, toDelivery item: String, at now: Instant, in project: ID<Project>
    ) -> SQL? {
        let parts = item.split(separator: ":")
        guard parts.count == 2, let sequence = Int64(parts[1]) else { return nil }
        let time = Timestamp(now)
        let values: SQL =
            switch change {
            case .retry:
                "due_at = CASE WHEN due_at = \(time) THEN due_at + interval '1 microsecond' ELSE \(time) END"
            case .cancel: "state = 'failed', due_at = NULL, attempted_at = coalesce(attempted_at, \(time))"
            }
        return """
            UPDATE event_delivery SET \(values)
            WHERE project_id = \(project.rawValue) AND endpoint_id = \(String(parts[0])) AND sequence = \(sequence)
                AND state = 'pending'
            RETURNING 'event' AS kind
            """
    }
}
