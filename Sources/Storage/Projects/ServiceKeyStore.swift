public import Identity
public import Postgres

/// Stores service keys, with which backends call the admin API and sign custom tokens. Stores the hash of the bearer
/// secret and the public key, but neither the bearer secret nor the private key.
public struct ServiceKeyStore: Sendable {
    /// A key to be created.
    public struct Draft: Sendable {
        public let id: String
        public let name: String
        /// SHA-256 of the bearer secret.
        public let secretHash: [UInt8]
        /// In PEM.
        public let publicKey: String
        public let scopes: ServiceKeyScopes
        /// `nil` if the key does not expire.
        public let expiresAt: Instant?

        public init(
            id: String, name: String, secretHash: [UInt8], publicKey: String, scopes: ServiceKeyScopes,
            expiresAt: Instant?
        ) {
            self.id = id
            self.name = name
            self.secretHash = secretHash
            self.publicKey = publicKey
            self.scopes = scopes
            self.expiresAt = expiresAt
        }
    }

    /// A key in a list, without its hash.
    public struct Listed: Sendable {
        public let id: String
        public let name: String
        public let scopes: ServiceKeyScopes
        public let createdAt: Instant
        public let expiresAt: Instant?
        public let lastUsedAt: Instant?
        public let revokedAt: Instant?
    }

    /// A key that is not revoked, with its scopes and the realm of its project. It may have expired; the caller checks
    /// that.
    public struct FoundKey: Sendable {
        public let realm: Realm
        public let id: String
        public let scopes: ServiceKeyScopes
        public let expiresAt: Instant?
    }

    /// A public key that verifies the signatures of a backend. The service key may have expired; the caller checks
    /// that.
    public struct VerificationKey: Sendable {
        public let project: ID<Project>
        /// In PEM.
        public let publicKey: String
        public let scopes: ServiceKeyScopes
        public let expiresAt: Instant?
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Inserts a key.
    ///
    /// - Returns: `false` if the project does not exist.
    public func create(_ key: Draft, in project: ID<Project>, at now: Instant) async throws -> Bool {
        let insertion: SQL = """
            INSERT INTO service_key (project_id, id, name, secret_hash, public_key, scopes, created_at, expires_at)
            SELECT p.id, \(key.id), \(key.name), \(key.secretHash), \(key.publicKey), \(key.scopes.names),
                \(Timestamp(now)), \(key.expiresAt.map { Timestamp($0) })
            FROM realm p WHERE p.id = \(project.rawValue) AND p.parent_id IS NULL AND p.deleted_at IS NULL
            RETURNING 1
            """
        let note = AuditNote("serviceKey.added", key.id, ["scopes": key.scopes.names.joined(separator: " ")])
        let audit = try SQL.audit([note], by: .commandLine, at: now, in: ID(project), forEachRowOf: "inserted")
        let statement: SQL = "WITH inserted AS (\(insertion)) \(audit)"
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }

    /// Returns the key with a bearer secret.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the bearer secret.
    ///   - supportedProviders: the providers of the project.
    /// - Returns: `nil` if the secret is unknown or its key is revoked.
    public func key(
        withSecretHash hash: [UInt8], supporting supportedProviders: SupportedProviders
    ) async throws -> FoundKey? {
        let statement: SQL = """
            SELECT \(SQL.realmColumns), k.id AS key_id, k.scopes, k.expires_at
            FROM service_key k JOIN (\(SQL.realmsWithProjects)) ON r.id = k.project_id
            WHERE k.secret_hash = \(hash) AND k.revoked_at IS NULL
            """
        return try await withStoreErrors { try await pool.read(statement) }.first.map { row in
            FoundKey(
                realm: try Realm(row, supporting: supportedProviders), id: try row.decode("key_id"),
                scopes: try row.scopes(),
                expiresAt: try row.instant("expires_at"))
        }
    }

    /// Returns the public key of the service key with this ID in `project`. If the project has no such key, returns a
    /// key of another project that has the ID. The caller can then report a wrong project instead of an unknown key.
    ///
    /// - Returns: `nil` if the key does not exist or is revoked.
    public func verificationKey(_ id: String, preferably project: ID<Project>) async throws -> VerificationKey? {
        let statement: SQL = """
            SELECT k.project_id, k.public_key, k.scopes, k.expires_at FROM service_key k
            WHERE k.id = \(id) AND k.revoked_at IS NULL
            ORDER BY k.project_id <> \(project.rawValue), k.project_id LIMIT 1
            """
        return try await withStoreErrors { try await pool.query(statement) }.first.map { row in
            VerificationKey(
                project: ID(try row.decode("project_id")), publicKey: try row.decode("public_key"),
                scopes: try row.scopes(), expiresAt: try row.instant("expires_at"))
        }
    }

    public func list(in project: ID<Project>) async throws -> [Listed] {
        let statement: SQL = """
            SELECT id, name, scopes, created_at, expires_at, last_used_at, revoked_at FROM service_key
            WHERE project_id = \(project.rawValue) ORDER BY created_at, id
            """
        return try await withStoreErrors { try await pool.query(statement) }.map { row in
            Listed(
                id: try row.decode("id"), name: try row.decode("name"), scopes: try row.scopes(),
                createdAt: Instant(try row.decode("created_at")), expiresAt: try row.instant("expires_at"),
                lastUsedAt: try row.instant("last_used_at"), revokedAt: try row.instant("revoked_at"))
        }
    }

    /// Records that a key was used at `now`, unless a use was recorded within ``minimumUseInterval``.
    public func recordUse(_ id: String, in project: ID<Project>, at now: Instant) async throws {
        let statement: SQL = """
            UPDATE service_key SET last_used_at = \(Timestamp(now)) WHERE project_id = \(project.rawValue)
                AND id = \(id) AND (last_used_at IS NULL OR last_used_at <= \(Timestamp(now - Self.minimumUseInterval)))
            """
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    /// The minimum time between two recorded uses.
    public static let minimumUseInterval: Duration = .seconds(300)

    /// Revokes a key.
    ///
    /// - Returns: `false` if the key does not exist or is already revoked.
    public func revoke(_ id: String, in project: ID<Project>, at now: Instant) async throws -> Bool {
        let change: SQL = """
            UPDATE service_key SET revoked_at = \(Timestamp(now))
            WHERE project_id = \(project.rawValue) AND id = \(id) AND revoked_at IS NULL
            RETURNING 1
            """
        let note = AuditNote("serviceKey.revoked", id)
        let audit = try SQL.audit([note], by: .commandLine, at: now, in: ID(project), forEachRowOf: "revoked")
        let statement: SQL = "WITH revoked AS (\(change)) \(audit)"
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }
}

extension Row {
    fileprivate func scopes() throws -> ServiceKeyScopes { ServiceKeyScopes(names: try decode("scopes")) }

    fileprivate func instant(_ column: String) throws -> Instant? {
        try decode(column, as: Timestamp?.self).map(Instant.init)
    }
}
