public import Identity
public import Postgres

/// ``AuthorizationFlowStore`` on PostgreSQL. A flow is a sign-in in the browser; its grant is the value that an app
/// exchanges for the result. Concurrent claims of a flow wait for its row, and only the first one succeeds.
public struct PostgresAuthorizationFlowStore: AuthorizationFlowStore {
    private let pool: Pool
    private let clock: WallClock

    public init(pool: Pool, clock: WallClock) {
        self.pool = pool
        self.clock = clock
    }

    public func storeResponse(_ response: String, of flow: StoredFlow) async throws {
        try await run(
            """
            INSERT INTO authorization_flow (state_hash, realm_id, response, expires_at)
            VALUES (\(flow.hash), \(flow.realm.rawValue), \(response), \(Timestamp(flow.expiresAt)))
            ON CONFLICT (state_hash) DO NOTHING
            """)
    }

    public func claim(_ flow: StoredFlow, requiresResponse: Bool) async throws -> ClaimedFlow? {
        let now = Timestamp(clock.now())
        // A flow has no row yet if the provider's response is in the URL of the current request.
        let claiming: SQL =
            requiresResponse
            ? """
            UPDATE authorization_flow SET claimed_at = \(now)
            WHERE state_hash = \(flow.hash) AND claimed_at IS NULL AND response IS NOT NULL RETURNING response
            """
            : """
            INSERT INTO authorization_flow AS f (state_hash, realm_id, claimed_at, expires_at)
            VALUES (\(flow.hash), \(flow.realm.rawValue), \(now), \(Timestamp(flow.expiresAt)))
            ON CONFLICT (state_hash) DO UPDATE SET claimed_at = excluded.claimed_at WHERE f.claimed_at IS NULL
            RETURNING response
            """
        let row = try await withStoreErrors { try await pool.query(claiming) }.first
        return try row.map { ClaimedFlow(response: try $0.decode("response")) }
    }

    public func release(_ flow: StoredFlow) async throws {
        try await run(
            "UPDATE authorization_flow SET claimed_at = NULL WHERE state_hash = \(flow.hash) AND result IS NULL")
    }

    public func removeResponse(of flow: StoredFlow) async throws {
        try await run("UPDATE authorization_flow SET response = NULL WHERE state_hash = \(flow.hash)")
    }

    public func storeToken(_ token: SealedAppleToken, in realm: ID<Realm>, at now: Instant) async throws {
        try await run(try .insertUnusedAppleToken(token, at: now, in: realm))
    }

    /// Also removes the provider's response, which is no longer needed.
    public func complete(
        _ flow: StoredFlow, with result: String, for grant: FlowResultKey, until end: Instant
    ) async throws {
        try await run(
            """
            UPDATE authorization_flow SET response = NULL, result = \(result), app_id = \(grant.app.rawValue),
                grant_hash = \(grant.grantHash), session_hash = \(grant.sessionHash),
                grant_expires_at = \(Timestamp(end))
            WHERE state_hash = \(flow.hash)
            """)
    }

    public func result(for grant: FlowResultKey, at now: Instant) async throws -> String? {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT result FROM authorization_flow f
                WHERE grant_hash = \(grant.grantHash) AND session_hash = \(grant.sessionHash)
                    AND realm_id = \(grant.realm.rawValue) AND app_id = \(grant.app.rawValue)
                    AND grant_expires_at > \(Timestamp(now)) AND NOT EXISTS (
                        SELECT FROM replay_guard g WHERE g.realm_id = \(grant.realm.project.rawValue) AND g.hash = f.grant_hash)
                """)
        }.first.flatMap { try $0.decode("result") }
    }

    private func run(_ statement: SQL) async throws {
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }
}
