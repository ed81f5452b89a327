public import Identity
public import Postgres

/// Stores API keys, which identify the project and the app of a request. Only their unsalted SHA-256 hashes are stored:
/// a random key cannot be guessed from an unsalted digest.
public struct APIKeyStore: Sendable {
    /// A key in a list, without its hash.
    public struct Listed: Sendable {
        public let id: String
        public let app: ID<App>
        public let createdAt: Instant
        public let revokedAt: Instant?
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the app of a key, and the realm of its project.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the key.
    ///   - supportedProviders: the providers of the project.
    /// - Returns: `nil` if the key does not exist or is revoked.
    public func realmAndApp(
        ofKeyWithHash hash: [UInt8], supporting supportedProviders: SupportedProviders
    ) async throws -> (realm: Realm, app: App)? {
        let statement: SQL = """
            SELECT \(SQL.realmColumns), k.app_id, a.settings::text AS app_settings
            FROM api_key k JOIN app a ON a.project_id = k.project_id AND a.id = k.app_id
            JOIN (\(SQL.realmsWithProjects)) ON r.id = k.project_id
            WHERE k.key_hash = \(hash) AND k.revoked_at IS NULL
            """
        return try await withStoreErrors { try await pool.read(statement) }.first.map { row in
            let column = try AppColumn(columnText: row.decode("app_settings"))
            return (try Realm(row, supporting: supportedProviders), column.app(ID(try row.decode("app_id"))))
        }
    }

    /// Inserts a key.
    ///
    /// - Parameter hash: SHA-256 of the key.
    /// - Returns: `false` if the project has no such app.
    public func create(
        id: String, hash: [UInt8], for app: ID<App>, in project: ID<Project>, at now: Instant
    ) async throws -> Bool {
        let insertion: SQL = """
            INSERT INTO api_key (project_id, id, app_id, key_hash, created_at)
            SELECT a.project_id, \(id), a.id, \(hash), \(Timestamp(now)) FROM app a
            WHERE a.project_id = \(project.rawValue) AND a.id = \(app.rawValue)
            RETURNING 1
            """
        let note = AuditNote("apiKey.added", id, ["app": app.rawValue])
        let audit = try SQL.audit([note], by: .commandLine, at: now, in: ID(project), forEachRowOf: "inserted")
        let statement: SQL = "WITH inserted AS (\(insertion)) \(audit)"
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }

    public func list(in project: ID<Project>) async throws -> [Listed] {
        let statement: SQL = """
            SELECT id, app_id, created_at, revoked_at FROM api_key WHERE project_id = \(project.rawValue)
            ORDER BY created_at, id
            """
        return try await withStoreErrors { try await pool.query(statement) }.map { row in
            Listed(
                id: try row.decode("id"), app: ID(try row.decode("app_id")),
                createdAt: Instant(try row.decode("created_at")),
                revokedAt: try row.decode("revoked_at", as: Timestamp?.self).map(Instant.init))
        }
    }

    /// Revokes a key.
    ///
    /// - Returns: `false` if the key does not exist or is already revoked.
    public func revoke(_ id: String, in project: ID<Project>, at now: Instant) async throws -> Bool {
        let change: SQL = """
            UPDATE api_key SET revoked_at = \(Timestamp(now))
            WHERE project_id = \(project.rawValue) AND id = \(id) AND revoked_at IS NULL
            RETURNING 1
            """
        let audit = try SQL.audit(
            [AuditNote("apiKey.revoked", id)], by: .commandLine, at: now, in: ID(project), forEachRowOf: "revoked")
        let statement: SQL = "WITH revoked AS (\(change)) \(audit)"
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }
}
