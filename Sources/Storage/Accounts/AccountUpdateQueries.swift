internal import Identity
internal import Postgres

extension SQL {
    /// The `UPDATE account` of every change, except sign-ins, which are parts of larger statements optimised for speed.
    ///
    /// A member that stays unchanged is sent as `false` with a NULL, so that every update is the same statement and its
    /// plan is reused. The statement decides on the locked row which sessions end.
    ///
    /// - Parameters:
    ///   - id: of the account, which is called `a` in the other parameters.
    ///   - condition: a condition on the row.
    ///   - source: another table, for `passwordHash`.
    ///   - passwordHash: replaces the value of ``AccountUpdate/passwordHash``, for a hash that only the database has.
    static func update(
        _ id: ID<Account>, by update: AccountUpdate, at time: Instant, in realm: ID<Realm>,
        where condition: SQL = "true",
        from source: SQL = "", passwordHash: SQL? = nil
    ) -> SQL {
        let now = Timestamp(time)
        let (email, hash) = (update.email?.new?.rawValue, update.passwordHash?.new)
        let ends = endsSessions(update)
        return """
            UPDATE account a SET
                display_name = CASE WHEN \(update.displayName != nil) THEN \(update.displayName?.new) ELSE a.display_name END,
                photo_url = CASE WHEN \(update.photoURL != nil) THEN \(update.photoURL?.new) ELSE a.photo_url END,
                email = CASE WHEN \(update.email != nil) THEN \(email) ELSE a.email END,
                email_verified = CASE WHEN \(update.email != nil) THEN \(email) ELSE a.email END IS NOT NULL
                    AND coalesce(\(update.emailIsVerified), a.email_verified
                        AND NOT (\(update.email != nil) AND a.email IS DISTINCT FROM \(email))),
                phone_number = CASE WHEN \(update.phoneNumber != nil) THEN \(update.phoneNumber?.new) ELSE a.phone_number END,
                password_hash = CASE WHEN \(update.passwordHash != nil) THEN \(passwordHash ?? "\(hash)")
                    ELSE a.password_hash END,
                password_updated_at = CASE WHEN \(update.passwordHash != nil) THEN \(hash == nil ? nil : now)
                    ELSE a.password_updated_at END,
                email_link_sign_in = coalesce(\(update.usesEmailLinks), a.email_link_sign_in),
                custom_claims = coalesce(\(update.customClaims?.json), a.custom_claims),
                disabled_at = CASE WHEN \(update.isDisabled == nil) THEN a.disabled_at
                    WHEN \(update.isDisabled == true) THEN coalesce(a.disabled_at, \(now)) END,
                created_at = coalesce(\(update.createdAt.map { Timestamp($0) }), a.created_at),
                last_sign_in_at = coalesce(\(update.lastSignInAt.map { Timestamp($0) }), a.last_sign_in_at),
                valid_since = coalesce(\(update.validSince.map { Timestamp($0) }),
                    CASE WHEN \(ends) THEN date_trunc('second', \(now)) ELSE a.valid_since END),
                generation = CASE WHEN \(ends) THEN a.generation + 1 ELSE a.generation END
            \(source)
            WHERE a.project_id = \(realm.rawValue) AND a.id = \(id.rawValue) AND \(condition)
            """
    }

    private static func endsSessions(_ update: AccountUpdate) -> SQL {
        switch update.sessions {
        case .keep: "false"
        case .endAll: "true"
        case .endAllIfCredentialsChange:
            """
            (\(update.isDisabled == false) AND a.disabled_at IS NOT NULL
            OR \(update.email != nil) AND a.email IS DISTINCT FROM \(update.email?.new?.rawValue)
            OR \(update.passwordHash != nil) AND (a.password_hash IS NOT NULL OR \(update.passwordHash?.new != nil))
            OR \(update.validSince != nil))
            """
        }
    }
}

extension AccountUpdate.Value {
    /// The column's new value; `nil` is NULL.
    fileprivate var new: Content? {
        switch self {
        case .set(let content): content
        case .remove: nil
        }
    }
}
