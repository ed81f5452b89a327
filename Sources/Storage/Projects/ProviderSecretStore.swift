public import Identity
public import Postgres

/// Stores the encrypted private keys and client secrets of providers.
public struct ProviderSecretStore: Sendable {
    /// A stored secret, encrypted.
    public struct Stored: Sendable {
        public let realm: ID<Realm>
        public let provider: ProviderID
        /// The encrypted secret.
        public let sealed: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the encrypted secret; `nil` if none is stored.
    public func secret(of provider: ProviderID, in realm: ID<Realm>) async throws -> [UInt8]? {
        try await secrets("AND realm_id = \(realm.rawValue) AND provider = \(provider.rawValue)").first?.sealed
    }

    /// Returns the secrets of all projects and tenants.
    public func all() async throws -> [Stored] {
        try await secrets("ORDER BY realm_id, provider")
    }

    /// Replaces the encrypted form of `secret`, unless another process has replaced it first.
    public func reseal(_ secret: Stored, as sealed: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE identity_provider SET secret = \(sealed) WHERE realm_id = \(secret.realm.rawValue)
                    AND provider = \(secret.provider.rawValue) AND secret = \(secret.sealed)
                """)
        }
    }

    /// - Parameter clauses: further conditions, or an `ORDER BY`.
    private func secrets(_ clauses: SQL) async throws -> [Stored] {
        try await withStoreErrors {
            try await pool.query(
                "SELECT realm_id, provider, secret FROM identity_provider WHERE secret IS NOT NULL \(clauses)")
        }.map { row in
            Stored(
                realm: ID(try row.decode("realm_id")), provider: ProviderID(try row.decode("provider")),
                sealed: try row.decode("secret"))
        }
    }
}
