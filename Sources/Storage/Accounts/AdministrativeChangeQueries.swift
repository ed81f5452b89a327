internal import Identity
internal import Postgres

extension SQL {
    /// A member that is to stay comes as `false` beside a NULL, so that every change is the same statement.
    ///
    /// What ends every session is decided on the row as it is when it is locked. Disabling does not: no token of a
    /// disabled account is accepted, and each is told why. Enabling does, so that none of them comes back to life.
    static func change(
        _ account: ID<Account>, by change: AdministrativeChange, in realm: ID<Realm>
    ) -> SQL {
        let now = Timestamp(change.changedAt)
        let email = change.email?.new?.rawValue
        let ends: SQL = """
            (\(change.isDisabled == false) AND a.disabled_at IS NOT NULL
            OR \(change.email != nil) AND a.email IS DISTINCT FROM \(email)
            OR \(change.passwordHash != nil) AND (a.password_hash IS NOT NULL OR \(change.passwordHash?.new != nil))
            OR \(change.validSince != nil))
            """
        return """
            UPDATE account a SET
                display_name = CASE WHEN \(change.displayName != nil) THEN \(change.displayName?.new) ELSE a.display_name END,
                photo_url = CASE WHEN \(change.photoURL != nil) THEN \(change.photoURL?.new) ELSE a.photo_url END,
                email = CASE WHEN \(change.email != nil) THEN \(email) ELSE a.email END,
                email_verified = CASE WHEN \(change.email != nil) THEN \(email) ELSE a.email END IS NOT NULL
                    AND coalesce(\(change.emailIsVerified), a.email_verified
                        AND NOT (\(change.email != nil) AND a.email IS DISTINCT FROM \(email))),
                phone_number = CASE WHEN \(change.phoneNumber != nil) THEN \(change.phoneNumber?.new?.rawValue)
                    ELSE a.phone_number END,
                password_hash = CASE WHEN \(change.passwordHash != nil) THEN \(change.passwordHash?.new)
                    ELSE a.password_hash END,
                password_updated_at = CASE WHEN \(change.passwordHash != nil) THEN \(change.passwordHash?.new == nil ? nil : now)
                    ELSE a.password_updated_at END,
                custom_claims = coalesce(\(change.customClaims?.json), a.custom_claims),
                disabled_at = CASE WHEN \(change.isDisabled == nil) THEN a.disabled_at
                    WHEN \(change.isDisabled == true) THEN coalesce(a.disabled_at, \(now)) END,
                created_at = coalesce(\(change.createdAt.map { Timestamp($0) }), a.created_at),
                last_sign_in_at = coalesce(\(change.lastSignInAt.map { Timestamp($0) }), a.last_sign_in_at),
                valid_since = coalesce(\(change.validSince.map { Timestamp($0) }),
                    CASE WHEN \(ends) THEN date_trunc('second', \(now)) ELSE a.valid_since END),
                generation = CASE WHEN \(ends) THEN a.generation + 1 ELSE a.generation END
            WHERE a.project_id = \(realm.rawValue) AND a.id = \(account.rawValue)
            RETURNING \(AccountRow.columns), \(AccountRow.lastRefresh)
            """
    }
}

extension AccountChange.Value {
    /// What the column becomes; `nil` is NULL.
    var new: Content? {
        switch self {
        case .set(let content): content
        case .remove: nil
        }
    }
}
