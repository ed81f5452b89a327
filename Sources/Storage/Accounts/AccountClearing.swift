public import Identity
public import Postgres

/// Deletes accounts without tombstones, so that their IDs can be used again. For installations without real users.
public struct AccountClearing: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Their sessions and identities go with them.
    public func clear(_ realm: ID<Realm>) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute("DELETE FROM account WHERE project_id = \(realm.rawValue)")
                _ = try await transaction.execute("DELETE FROM deleted_account WHERE project_id = \(realm.rawValue)")
            }
        }
    }
}
