public import Encoding
public import Identity
public import Postgres

/// Reads the encrypted private keys that sign requests to Apple, with their teams and key IDs. Includes the keys of
/// deleted tenants, because the Apple tokens of their accounts still have to be revoked.
public struct AppleKeyStore: Sendable {
    /// A stored private key, encrypted.
    public struct Stored: Sendable {
        public let name: AppleKeyName
        /// The encrypted key.
        public let sealed: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the client IDs for which a code was redeemed with the current private key, and the resulting refresh
    /// token is still authorized.
    public func clientIDsWithRedeemedCodes(in realm: ID<Realm>) async throws -> Set<ByteText> {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT DISTINCT g.client_id FROM apple_grant g
                JOIN identity_provider p ON p.realm_id = g.realm_id AND p.provider = 'apple.com'
                WHERE g.realm_id = \(realm.rawValue) AND g.state = 'AUTHORIZED' AND p.secret IS NOT NULL
                    AND g.team_id = p.settings #>> '{apple,teamId}' AND g.key_id = p.settings #>> '{apple,keyId}'
                """)
        }
        return Set(try rows.map { ByteText(try $0.decode("client_id", as: String.self)) })
    }

    /// Returns the configured key; `nil` unless the team, the key ID and the private key are configured.
    public func key(of realm: ID<Realm>) async throws -> Stored? {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT settings #>> '{apple,teamId}' AS team_id, settings #>> '{apple,keyId}' AS key_id, secret
                FROM identity_provider WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com'
                    AND secret IS NOT NULL AND settings -> 'apple' IS NOT NULL
                """)
        }
        return try rows.first.map {
            Stored(
                name: AppleKeyName(teamID: try $0.decode("team_id"), keyID: try $0.decode("key_id")),
                sealed: try $0.decode("secret"))
        }
    }
}
