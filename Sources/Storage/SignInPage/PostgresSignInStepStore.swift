public import Identity
public import Postgres

/// ``SignInStepStore`` on PostgreSQL.
public struct PostgresSignInStepStore: SignInStepStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func set(
        _ content: String, of flow: [UInt8], replacing former: String?, resetsAttempts: Bool, until end: Instant,
        in realm: ID<Realm>
    ) async throws {
        let statement: SQL =
            if let former {
                """
                UPDATE sign_in_flow SET content = \(content), expires_at = \(Timestamp(end)),
                    attempts = CASE WHEN \(resetsAttempts) THEN 0 ELSE attempts END
                WHERE realm_id = \(realm.rawValue) AND flow_hash = \(flow) AND content = \(former)
                """
            } else {
                """
                INSERT INTO sign_in_flow (realm_id, flow_hash, content, expires_at)
                VALUES (\(realm.rawValue), \(flow), \(content), \(Timestamp(end)))
                ON CONFLICT (realm_id, flow_hash) DO NOTHING
                """
            }
        guard try await withStoreErrors({ try await pool.execute(statement) }) == 1 else {
            throw StoreConflict.stale
        }
    }

    public func countAttempt(_ flow: [UInt8], limit: Int, in realm: ID<Realm>) async throws -> String? {
        try await withStoreErrors {
            try await pool.query(
                """
                UPDATE sign_in_flow SET attempts = attempts + 1
                WHERE realm_id = \(realm.rawValue) AND flow_hash = \(flow) AND attempts < \(limit)
                RETURNING content
                """)
        }.first?.decode("content")
    }

    public func content(of flow: [UInt8], in realm: ID<Realm>) async throws -> String? {
        try await withStoreErrors {
            try await pool.query(
                "SELECT content FROM sign_in_flow WHERE realm_id = \(realm.rawValue) AND flow_hash = \(flow)")
        }.first?.decode("content")
    }

    private func run(_ statement: SQL) async throws {
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }
}
