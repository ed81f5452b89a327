public import Identity
public import Postgres

/// Lists the queue of emails for operators, without addresses and contents.
public struct EmailListing: Sendable {
    /// One queued email.
    public struct Entry: Sendable {
        public let id: ID<OutgoingEmail>
        public let realm: ID<Realm>
        public let kind: String
        public let createdAt: Instant
        /// The time of the next attempt to send the email.
        public let dueAt: Instant
        public let attempts: Int
        /// The error of the latest failed attempt, without addresses.
        public let failure: String?
        /// When the worker gave up sending; `nil` while the email waits to be sent.
        public let givenUpAt: Instant?
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the newest emails, at most `limit`, in the order of creation.
    public func emails(limit: Int) async throws -> [Entry] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT id, realm_id, kind, created_at, due_at, attempts, failure, failed_at FROM (
                    SELECT id, realm_id, kind, created_at, due_at, attempts, failure, failed_at FROM outgoing_email
                    ORDER BY created_at DESC, id LIMIT \(limit)) newest
                ORDER BY created_at, id
                """)
        }.map(Entry.init)
    }
}

extension EmailListing.Entry {
    fileprivate init(_ row: Row) throws {
        id = ID(uuid: try row.decode("id"))
        realm = ID(try row.decode("realm_id"))
        kind = try row.decode("kind")
        createdAt = Instant(try row.decode("created_at"))
        dueAt = Instant(try row.decode("due_at"))
        attempts = try row.decode("attempts")
        failure = try row.decode("failure")
        givenUpAt = try row.decode("failed_at", as: Timestamp?.self).map { Instant($0) }
    }
}
