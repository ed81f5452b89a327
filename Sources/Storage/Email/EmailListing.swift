public import Identity
public import Postgres

/// Lists the queue of emails for operators, without addresses and contents.
public struct EmailListing: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the newest emails of all projects, at most `limit`, in the order of creation.
    public func emails(limit: Int) async throws -> [ListedEmail] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT id, realm_id, kind, created_at, due_at, attempts, failure, failed_at FROM (
                    SELECT id, realm_id, kind, created_at, due_at, attempts, failure, failed_at FROM outgoing_email
                    ORDER BY created_at DESC, id LIMIT \(limit)) newest
                ORDER BY created_at, id
                """)
        }.map(ListedEmail.init)
    }
}

extension ListedEmail {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: ID(uuid: try row.decode("id")), realm: ID(try row.decode("realm_id")), kind: try row.decode("kind"),
            createdAt: Instant(try row.decode("created_at")), dueAt: Instant(try row.decode("due_at")),
            attempts: try row.decode("attempts"), failure: try row.decode("failure"),
            givenUpAt: try row.decode("failed_at", as: Timestamp?.self).map { Instant($0) })
    }
}
