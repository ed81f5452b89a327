public import Identity
internal import Postgres

extension PostgresAccountStore {
    public func enter(_ session: Session, vouchedAt: Instant?, in realm: ID<Realm>) async throws -> Entry {
        do {
            return try await reaching {
                try await pool.transaction { transaction in
                    guard let row = try await transaction.query(.enter(session, in: realm)).first else {
                        return .accountDisabled
                    }
                    let account = try AccountRow.account(row)
                    let isNew = try row.decode("is_new", as: Bool.self)
                    if isNew { try await transaction.revive(account.id, vouchedAt: vouchedAt, in: realm) }
                    let opened = session.begun(at: account.generation)
                    _ = try await transaction.execute(
                        .opening(try SessionRow(opened), in: realm, from: "(VALUES (1)) v"))
                    return .entered(account, opened, isNew: isNew)
                }
            }
        } catch is DeletedSince {
            return .accountDeletedSince
        }
    }
}

private struct DeletedSince: Error {}

extension Transaction {
    /// A statement of its own, after the one that made the account: it sees the deletion that one waited for.
    fileprivate func revive(_ account: ID<Account>, vouchedAt: Instant?, in realm: ID<Realm>) async throws {
        guard let deletion = try await query(.forgetDeletion(of: account, in: realm)).first, let vouchedAt else {
            return
        }
        guard Instant(try deletion.decode("deleted_at")) <= vouchedAt else { throw DeletedSince() }
    }
}

extension SQL {
    /// Gives no row for an account that is disabled. A row that was there before has the lock of this statement on it.
    fileprivate static func enter(_ session: Session, in realm: ID<Realm>) -> SQL {
        let now = Timestamp(session.authenticatedAt)
        return """
            INSERT INTO account AS a (project_id, id, created_at, last_sign_in_at, valid_since, custom_auth)
            VALUES (\(realm.rawValue), \(session.account.rawValue), \(now), \(now), date_trunc('second', \(now)), true)
            ON CONFLICT (project_id, id) DO UPDATE SET last_sign_in_at = excluded.last_sign_in_at, custom_auth = true
            WHERE a.disabled_at IS NULL
            RETURNING a.xmax = 0 AS is_new, \(AccountRow.columns)
            """
    }

    fileprivate static func forgetDeletion(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        "DELETE FROM deleted_account WHERE project_id = \(realm.rawValue) AND id = \(account.rawValue) RETURNING deleted_at"
    }
}
