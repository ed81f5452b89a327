public import Identity
public import Postgres

/// Finds email action codes (the wire's `oobCode`) by their hashes. Only for `sekisho dev`, which knows the codes
/// themselves.
public struct OOBCodeLookup: Sendable {
    public struct Entry: Sendable {
        /// SHA-256 of the code, in hexadecimal.
        public let hash: String
        public let purpose: OOBCode.Purpose
        public let email: String
        public let newEmail: String?
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the codes with `hashes` that have not expired, in the order of creation.
    ///
    /// - Parameter hashes: SHA-256 of each code, in hexadecimal.
    public func unexpiredCodes(_ hashes: [String], in realm: ID<Realm>, at now: Instant) async throws -> [Entry] {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT encode(hash, 'hex') AS hash, purpose, email, new_email FROM oob_code
                WHERE hash IN (SELECT decode(h, 'hex') FROM unnest(\(hashes)) h) AND realm_id = \(realm.rawValue) AND expires_at > \(Timestamp(now))
                ORDER BY created_at, oob_code.hash
                """)
        }
        return try rows.compactMap { row in
            guard let purpose = OOBCode.Purpose(rawValue: try row.decode("purpose")) else { return nil }
            return Entry(
                hash: try row.decode("hash"), purpose: purpose, email: try row.decode("email"),
                newEmail: try row.decode("new_email"))
        }
    }
}
