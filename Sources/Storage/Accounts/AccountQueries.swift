internal import Identity
internal import Postgres

extension SQL {
    static func create(_ account: NewAccount, opening session: SessionRow, in realm: ID<Realm>) -> SQL {
        let now = Timestamp(account.createdAt)
        let passwordUpdatedAt = account.passwordHash == nil ? nil : now
        return opening(
            session, in: realm, from: "inserted",
            after: """
                inserted AS (
                    INSERT INTO account (project_id, id, email, display_name, password_hash, password_updated_at,
                        created_at, last_sign_in_at, valid_since)
                    VALUES (\(realm.rawValue), \(account.id.rawValue), \(account.email?.rawValue),
                        \(account.displayName), \(account.passwordHash), \(passwordUpdatedAt), \(now), \(now),
                        date_trunc('second', \(now)))
                    RETURNING 1),

                """)
    }

    static func holder(of email: EmailAddress, in realm: ID<Realm>) -> SQL {
        """
        SELECT a.password_hash, \(AccountRow.columns) FROM account a
        WHERE a.project_id = \(realm.rawValue) AND a.email = \(email.rawValue)
        """
    }

    static func open(_ session: SessionRow, rehashed: String?, in realm: ID<Realm>) -> SQL {
        opening(
            session, in: realm, from: "signed_in",
            after: """
                signed_in AS (
                    UPDATE account SET last_sign_in_at = \(session.authenticatedAt),
                        password_hash = coalesce(\(rehashed), password_hash)
                    WHERE project_id = \(realm.rawValue) AND id = \(session.account)
                        AND generation = \(session.generation) AND disabled_at IS NULL
                    RETURNING 1),

                """)
    }

    /// A member that is to stay comes as `false` beside a NULL, so that every change is the same statement.
    static func update(_ change: AccountChange, by session: SessionRow, in realm: ID<Realm>) -> SQL {
        let now = Timestamp(change.changedAt)
        let moves = change.replacement != nil
        return """
            UPDATE account a SET
                display_name = CASE WHEN \(change.displayName != nil) THEN \(change.displayName?.new) ELSE a.display_name END,
                photo_url = CASE WHEN \(change.photoURL != nil) THEN \(change.photoURL?.new) ELSE a.photo_url END,
                email = CASE WHEN \(change.email != nil) THEN \(change.email?.new?.rawValue) ELSE a.email END,
                email_verified = CASE WHEN \(change.email != nil) THEN false ELSE a.email_verified END,
                password_hash = CASE WHEN \(change.passwordHash != nil) THEN \(change.passwordHash?.new) ELSE a.password_hash END,
                password_updated_at = CASE WHEN \(change.passwordHash != nil) THEN \(change.passwordHash?.new == nil ? nil : now)
                    ELSE a.password_updated_at END,
                phone_number = CASE WHEN \(change.removesPhoneNumber) THEN NULL ELSE a.phone_number END,
                valid_since = CASE WHEN \(moves) THEN date_trunc('second', \(now)) ELSE a.valid_since END,
                last_sign_in_at = CASE WHEN \(moves) THEN \(now) ELSE a.last_sign_in_at END,
                generation = CASE WHEN \(moves) THEN a.generation + 1 ELSE a.generation END
            WHERE a.project_id = \(realm.rawValue) AND \(isAlive(session))
                AND (a.disabled_at IS NULL OR NOT \(moves))
            RETURNING \(AccountRow.columns)
            """
    }

    static func set(email: EmailAddress?, isVerified: Bool, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE account SET email = \(email?.rawValue), email_verified = \(isVerified)
        WHERE project_id = \(realm.rawValue) AND id = \(account.rawValue)
        """
    }

    static func delete(
        by session: SessionRow, of actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH deleted AS (
            DELETE FROM account a WHERE a.project_id = \(realm.rawValue) AND \(isAlive(session))
            RETURNING a.project_id, a.id, a.email),
        \(forgetting("deleted", at: now)),
        audited AS (\(auditing(deletionOf: "deleted", by: actor, at: now)))
        \(burying("deleted", at: now))
        """
    }
}
