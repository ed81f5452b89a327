public import Identity
public import Postgres

/// The private keys for Apple, encrypted, with their names. Includes the keys of deleted tenants, because the tokens of
/// their accounts still have to be revoked.
public struct AppleKeyStore: Sendable {
    /// A stored private key, encrypted.
    public struct Stored: Sendable {
        public let name: AppleKeyName
        public let sealed: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the client IDs that have an authorized grant whose refresh token was obtained with the current private
    /// key.
    public func clientIDsWithRedeemedCodes(in realm: ID<Realm>) async throws -> Set<String> {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT DISTINCT g.client_id FROM apple_grant g
                JOIN identity_provider p ON p.project_id = g.project_id AND p.provider = 'apple.com'
                WHERE g.project_id = \(realm.rawValue) AND g.state = 'AUTHORIZED' AND p.secret IS NOT NULL
                    AND g.team_id = p.settings #>> '{apple,teamId}' AND g.key_id = p.settings #>> '{apple,keyId}'
                """)
        }
        return Set(try rows.map { try $0.decode("client_id") })
    }

    /// - Returns: `nil` unless the team, the key ID and the private key are configured.
    public func key(of realm: ID<Realm>) async throws -> Stored? {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT settings #>> '{apple,teamId}' AS team_id, settings #>> '{apple,keyId}' AS key_id, secret
                FROM identity_provider WHERE project_id = \(realm.rawValue) AND provider = 'apple.com'
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
