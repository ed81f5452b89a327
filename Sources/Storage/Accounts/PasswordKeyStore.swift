public import Identity
public import Postgres

/// Stores the secret keys that verify imported password hashes, such as Firebase's signer key. The keys are encrypted.
public struct PasswordKeyStore: Sendable {
    /// A stored key, encrypted.
    public struct Stored: Sendable {
        public let realm: ID<Realm>
        public let id: ID<PasswordKey>
        /// The encrypted key.
        public let sealed: [UInt8]

        public init(realm: ID<Realm>, id: ID<PasswordKey>, sealed: [UInt8]) {
            self.realm = realm
            self.id = id
            self.sealed = sealed
        }
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Inserts `key`. Does nothing if a key with its ID exists.
    public func add(_ key: Stored, at now: Instant) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                INSERT INTO password_key (realm_id, id, key, created_at)
                VALUES (\(key.realm.rawValue), \(key.id.rawValue), \(key.sealed), \(Timestamp(now)))
                ON CONFLICT (id) DO NOTHING
                """)
        }
    }

    /// Returns the key with this ID; `nil` if there is none.
    public func key(_ id: ID<PasswordKey>) async throws -> Stored? {
        try await keys("WHERE id = \(id.rawValue)").first
    }

    /// Returns the keys of all realms.
    public func all() async throws -> [Stored] {
        try await keys("ORDER BY id")
    }

    /// Replaces the encrypted form of `key`, unless another process has replaced it first.
    public func reseal(_ key: Stored, as sealed: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                "UPDATE password_key SET key = \(sealed) WHERE id = \(key.id.rawValue) AND key = \(key.sealed)")
        }
    }

    /// - Parameter clauses: the clauses after `FROM`.
    private func keys(_ clauses: SQL) async throws -> [Stored] {
        try await withStoreErrors {
            try await pool.query("SELECT realm_id, id, key FROM password_key \(clauses)")
        }.map { row in
            Stored(
                realm: ID(try row.decode("realm_id")), id: ID(try row.decode("id")), sealed: try row.decode("key"))
        }
    }
}
