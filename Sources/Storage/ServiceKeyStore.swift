public import Identity
public import Postgres

/// The keys that backends hold. Of the secret only its hash is kept, of the key pair only the public half.
public struct ServiceKeyStore: Sendable {
    public struct Listed: Sendable {
        public let id: String
        public let name: String
        public let createdAt: Instant
        public let revokedAt: Instant?
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// - Parameters:
    ///   - secretHash: SHA-256 of the bearer secret.
    ///   - publicKey: PEM.
    /// - Returns: `false` if there is no such project.
    public func create(
        id: String, name: String, secretHash: [UInt8], publicKey: String, in project: ID<Project>, at now: Instant
    ) async throws -> Bool {
        let statement: SQL = """
            INSERT INTO service_key (project_id, id, name, secret_hash, public_key, created_at)
            SELECT p.id, \(id), \(name), \(secretHash), \(publicKey), \(Timestamp(now)) FROM project p
            WHERE p.id = \(project.rawValue)
            """
        return try await reaching { try await pool.execute(statement) } == 1
    }

    /// - Returns: `nil` for a secret that never was or whose key has been revoked.
    public func holder(ofSecretWithHash hash: [UInt8]) async throws -> (project: Project, id: String)? {
        let statement: SQL = """
            SELECT \(SQL.projectColumns), k.id AS key_id
            FROM service_key k JOIN project p ON p.id = k.project_id
            WHERE k.secret_hash = \(hash) AND k.revoked_at IS NULL
            """
        return try await reaching { try await pool.read(statement) }.first.map { row in
            (try Project(row), try row.decode("key_id"))
        }
    }

    /// The public key, in PEM, of the key with that id: the one of `project`, or else any other project's.
    ///
    /// - Returns: `nil` if there never was one or it has been revoked.
    public func publicKey(
        ofKey id: String, preferably project: ID<Project>
    ) async throws -> (project: ID<Project>, pem: String)? {
        let statement: SQL = """
            SELECT k.project_id, k.public_key FROM service_key k WHERE k.id = \(id) AND k.revoked_at IS NULL
            ORDER BY k.project_id <> \(project.rawValue), k.project_id LIMIT 1
            """
        return try await reaching { try await pool.query(statement) }.first.map { row in
            (ID(try row.decode("project_id")), try row.decode("public_key"))
        }
    }

    public func list(in project: ID<Project>) async throws -> [Listed] {
        let statement: SQL = """
            SELECT id, name, created_at, revoked_at FROM service_key WHERE project_id = \(project.rawValue)
            ORDER BY created_at, id
            """
        return try await reaching { try await pool.query(statement) }.map { row in
            Listed(
                id: try row.decode("id"), name: try row.decode("name"),
                createdAt: Instant(try row.decode("created_at")),
                revokedAt: try row.decode("revoked_at", as: Timestamp?.self).map(Instant.init))
        }
    }

    /// - Returns: `false` if there is no such key that works.
    public func revoke(_ id: String, in project: ID<Project>, at now: Instant) async throws -> Bool {
        let statement: SQL = """
            UPDATE service_key SET revoked_at = \(Timestamp(now))
            WHERE project_id = \(project.rawValue) AND id = \(id) AND revoked_at IS NULL
            """
        return try await reaching { try await pool.execute(statement) } == 1
    }
}
