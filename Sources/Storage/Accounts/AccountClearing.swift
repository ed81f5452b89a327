public import Identity
public import Postgres

/// Deletes all accounts of a realm. Leaves no tombstones (rows that reserve the IDs of deleted accounts), so that the
/// IDs can be used again. Only for `sekisho dev` and tests, which have no real users.
public struct AccountClearing: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Deletes the accounts, the realm's tombstones, withdrawals of consent, and the values that were used and are
    /// valid only once, so that a test suite can use the same nonce in each run. Foreign keys also delete the
    /// identities, sessions and other rows of the accounts; audit events and queued emails remain.
    public func clear(_ realm: ID<Realm>) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute("DELETE FROM account WHERE realm_id = \(realm.rawValue)")
                _ = try await transaction.execute("DELETE FROM deleted_account WHERE realm_id = \(realm.rawValue)")
                _ = try await transaction.execute("DELETE FROM consent_rescission WHERE realm_id = \(realm.rawValue)")
                _ = try await transaction.execute("DELETE FROM replay_guard WHERE realm_id = \(realm.rawValue)")
            }
        }
    }
}
