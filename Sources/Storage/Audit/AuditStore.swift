public import Identity
public import Postgres

/// The audit trail. Each change writes its events in its own transaction. Events are never changed; only the janitor
/// deletes them, after their retention.
public struct AuditStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// - Returns: at most ``AuditQuery/limit`` events.
    public func page(_ query: AuditQuery, in realm: ID<Realm>) async throws -> [AuditEvent] {
        let statement = try SQL.audited(query, in: realm)
        return try await withStoreErrors { try await pool.query(statement) }.map(AuditEvent.init)
    }

    public var trail: AuditTrail {
        AuditTrail {
            try await page($0, in: $1)
        } record: { note, actor, project, now in
            let statement = try SQL.audit([note], by: actor, at: now, in: project, from: "(VALUES (1)) v")
            _ = try await withStoreErrors { try await pool.execute(statement) }
        }
    }
}
