internal import FoundationEssentials
public import Identity
public import Postgres

/// The encrypted contents of the emails that wait to be sent, for encryption with a new master key.
public struct EncryptedEmails: Sendable {
    /// An email with its encrypted content.
    public struct Stored: Sendable {
        public let id: ID<OutgoingEmail>
        public let content: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns at most `limit` emails whose IDs follow `last`, in the order of IDs.
    public func emails(after last: ID<OutgoingEmail>?, limit: Int) async throws -> [Stored] {
        let beyond: SQL = if let last { "AND id > \(try UUID(last))" } else { "" }
        return try await withStoreErrors {
            try await pool.query(
                "SELECT id, content FROM outgoing_email WHERE failed_at IS NULL \(beyond) ORDER BY id LIMIT \(limit)")
        }.map { Stored(id: ID(uuid: try $0.decode("id")), content: try $0.decode("content")) }
    }

    /// Replaces the encrypted form of a content. Does nothing if the email was deleted or its content was replaced.
    public func reseal(_ email: Stored, as sealed: [UInt8]) async throws {
        let id = try UUID(email.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                "UPDATE outgoing_email SET content = \(sealed) WHERE id = \(id) AND content = \(email.content)")
        }
    }
}
