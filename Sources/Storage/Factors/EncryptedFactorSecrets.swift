public import Identity
public import Postgres

/// The encrypted secrets of second factors, for their encryption under another master key.
public struct EncryptedFactorSecrets: Sendable {
    public struct Stored: Sendable {
        public let realm: ID<Realm>
        public let account: ID<Account>
        public let owner: ID<Account>
        public let factor: ID<Factor>
        public let secret: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns a page of secrets, in the order of their keys.
    ///
    /// - Parameter last: the last secret of the previous page.
    public func secrets(after last: Stored?, limit: Int) async throws -> [Stored] {
        let (realm, account, owner, id) = (
            last?.realm.rawValue ?? "", last?.account.rawValue ?? "", last?.owner.rawValue ?? "",
            last?.factor.rawValue ?? ""
        )
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT realm_id, account_id, owner_id, id, secret FROM second_factor
                WHERE secret IS NOT NULL AND (realm_id, account_id, owner_id, id) > (\(realm), \(account), \(owner), \(id))
                ORDER BY realm_id, account_id, owner_id, id LIMIT \(limit)
                """)
        }.map(Stored.init)
    }

    /// Returns the secrets of accounts, except those of accounts that were merged into them.
    public func secrets(of accounts: [ID<Account>], in realm: ID<Realm>) async throws -> [Stored] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT realm_id, account_id, owner_id, id, secret FROM second_factor
                WHERE realm_id = \(realm.rawValue) AND account_id = ANY (\(accounts.map(\.rawValue)))
                    AND secret IS NOT NULL AND merged_from IS NULL
                """)
        }.map(Stored.init)
    }

    /// Replaces the ciphertext, unless it has changed.
    public func reseal(_ stored: Stored, as secret: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE second_factor SET secret = \(secret)
                WHERE realm_id = \(stored.realm.rawValue) AND account_id = \(stored.account.rawValue)
                    AND owner_id = \(stored.owner.rawValue) AND id = \(stored.factor.rawValue) AND secret = \(stored.secret)
                """)
        }
    }
}

extension EncryptedFactorSecrets.Stored {
    fileprivate init(_ row: Row) throws {
        self.init(
            realm: ID(try row.decode("realm_id")), account: ID(try row.decode("account_id")),
            owner: ID(try row.decode("owner_id")), factor: ID(try row.decode("id")),
            secret: try row.decode("secret"))
    }
}
