internal import Identity
internal import Postgres

extension SQL {
    /// Selects the account that has `email` as its primary address, with its password hash.
    static func account(withPrimaryEmail email: EmailAddress, in realm: ID<Realm>) -> SQL {
        """
        SELECT a.password_hash, \(AccountRow.columns) FROM account a
        WHERE a.realm_id = \(realm.rawValue) AND a.email = \(email.rawValue)
        """
    }

    /// Selects the account that has `email` as its primary address or in an identity; the primary address takes
    /// precedence. Uses two indexed look-ups, because a condition with `OR` would read the whole table.
    static func account(knownBy email: EmailAddress, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(AccountRow.columns) FROM account a
        WHERE a.realm_id = \(realm.rawValue) AND a.id IN (
            SELECT h.id FROM account h WHERE h.realm_id = \(realm.rawValue) AND h.email = \(email.rawValue)
            UNION ALL
            SELECT l.account_id FROM linked_identity l
            WHERE l.realm_id = \(realm.rawValue) AND l.email = \(email.rawValue))
        ORDER BY a.email IS NOT DISTINCT FROM \(email.rawValue) DESC, a.id LIMIT 1
        """
    }

    /// Opens a session of an existing account and stores the time of the sign-in, if the account is enabled and its
    /// generation is that of `session`. (A new generation of the account ends all sessions.)
    ///
    /// - Parameter rehashed: the hash that replaces the stored password hash; `nil` keeps the stored one.
    static func open(_ session: NewSession, rehashed: String?, in realm: ID<Realm>) throws -> SQL {
        // The access of an administrator is no sign-in of the user.
        let signedInAt = session.session.support == nil ? Timestamp(session.openedAt) : nil
        return try openSession(
            session, in: realm, forEachRowOf: "signed_in",
            with: """
                signed_in AS (
                    UPDATE account SET last_sign_in_at = coalesce(\(signedInAt), last_sign_in_at),
                        password_hash = coalesce(\(rehashed), password_hash)
                    WHERE realm_id = \(realm.rawValue) AND id = \(session.account.rawValue)
                        AND generation = \(session.session.generation) AND disabled_at IS NULL
                    RETURNING 1),

                """)
    }

    /// Deletes the account that `session` belongs to, if the session is active. Inserts the account's tombstone (a row
    /// that reserves the ID) and its event.
    static func deleteAccount(
        of session: Session, by deletion: AccountDeletion, in realm: ID<Realm>
    ) throws -> SQL {
        """
        WITH deleted AS (
            DELETE FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(try isActive(session))
            RETURNING a.realm_id, a.id, a.email),
        \(try record(deletion, of: "deleted"))
        \(deletionEffects(of: "deleted"))
        \(insertTombstones("deleted", at: deletion.deletedAt))
        """
    }
}
