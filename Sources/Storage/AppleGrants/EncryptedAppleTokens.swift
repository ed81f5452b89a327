internal import FoundationEssentials
public import Identity
public import Postgres

/// The encrypted Apple tokens and codes of all grants, for encryption with a new master key.
public struct EncryptedAppleTokens: Sendable {
    /// A grant's token or code, encrypted.
    public struct Stored: Sendable {
        public let id: ID<AppleGrant>
        public let token: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the tokens of at most `limit` grants whose IDs follow `last`, in the order of IDs.
    public func tokens(after last: ID<AppleGrant>?, limit: Int) async throws -> [Stored] {
        let beyond: SQL = if let last { "AND id > \(try UUID(last))" } else { "" }
        return try await withStoreErrors {
            try await pool.query(
                "SELECT id, token FROM apple_grant WHERE token IS NOT NULL \(beyond) ORDER BY id LIMIT \(limit)")
        }.map { Stored(id: ID(uuid: try $0.decode("id")), token: try $0.decode("token")) }
    }

    /// Replaces the encrypted form of a token. Does nothing if the grant was deleted or its token was replaced.
    public func reseal(_ stored: Stored, as sealed: [UInt8]) async throws {
        let id = try UUID(stored.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                "UPDATE apple_grant SET token = \(sealed) WHERE id = \(id) AND token = \(stored.token)")
        }
    }
}
