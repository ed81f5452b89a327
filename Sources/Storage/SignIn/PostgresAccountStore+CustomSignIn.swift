public import Identity
internal import Postgres

/// Sign-ins with custom tokens, which a project's backend issues.
extension PostgresAccountStore {
    public func openOrCreate(
        _ session: NewSession, issuedAt: Instant?, in realm: ID<Realm>
    ) async throws -> OpenedSession {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard let row = try await transaction.query(.upsert(for: session, in: realm)).first else {
                    throw StoreConflict.stale
                }
                let account = try AccountRow.account(row)
                let isNew = try row.decode("is_new", as: Bool.self)
                if isNew { try await transaction.deleteTombstone(of: account.id, olderThan: issuedAt, in: realm) }
                let opened = session.withGeneration(of: account)
                _ = try await transaction.execute(.openSession(opened, in: realm, forEachRowOf: .singleRow))
                try await transaction.recordOpening(of: opened, isNewAccount: isNew, in: realm)
                return OpenedSession(
                    opened, of: account, isNewAccount: isNew,
                    formerSignInAt: try row.decode("former_sign_in_at", as: Timestamp?.self).map { Instant($0) })
            }
        }
    }
}

extension Transaction {
    /// Deletes the tombstone (the row that reserves the ID) of an earlier account with the same ID. This is a separate
    /// statement, because the statement that inserts the account may have waited for the deletion of the earlier
    /// account. It then does not see the tombstone.
    ///
    /// - Parameter issuedAt: when the custom token was issued; `nil` accepts any tombstone.
    ///
    /// - Throws: ``StoreConflict/notFound`` if the account was deleted after `issuedAt`.
    fileprivate func deleteTombstone(
        of account: ID<Account>, olderThan issuedAt: Instant?, in realm: ID<Realm>
    ) async throws {
        guard let deletion = try await query(.deleteTombstone(of: account, in: realm)).first, let issuedAt else {
            return
        }
        guard Instant(try deletion.decode("deleted_at")) <= issuedAt else { throw StoreConflict.notFound }
    }
}

extension SQL {
    /// Creates the account, or records a sign-in to the existing account and locks its row. The column `is_new` tells
    /// the two cases apart: PostgreSQL's system column `xmax` is 0 only in an inserted row. The subquery sees the
    /// account as it was before the statement. Returns no row if the account is disabled.
    fileprivate static func upsert(for session: NewSession, in realm: ID<Realm>) -> SQL {
        var account = StoredAccount(new: session.account, at: session.openedAt)
        account.account.usesCustomTokens = true
        return """
            \(insertion(of: account, in: realm))
            ON CONFLICT (realm_id, id) DO UPDATE SET last_sign_in_at = excluded.last_sign_in_at, custom_auth = true
            WHERE a.disabled_at IS NULL
            RETURNING a.xmax = 0 AS is_new, (SELECT f.last_sign_in_at FROM account f
                WHERE f.realm_id = a.realm_id AND f.id = a.id) AS former_sign_in_at, \(AccountRow.columns)
            """
    }

    fileprivate static func deleteTombstone(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        "DELETE FROM deleted_account WHERE realm_id = \(realm.rawValue) AND id = \(account.rawValue) RETURNING deleted_at"
    }
}
