internal import Identity
internal import Postgres

extension SQL {
    /// Inserts an account, and opens its first session.
    ///
    /// - Parameters:
    ///   - condition: inserts nothing unless it is true.
    ///   - ctes: common table expressions that read `inserted`, each followed by a comma.
    static func create(
        _ account: Account, passwordHash: String? = nil, opening session: SessionRow, in realm: ID<Realm>,
        where condition: SQL = "true", after ctes: SQL = "", consuming replayKeys: [ReplayKey] = []
    ) -> SQL {
        let insertion = insertion(of: account, passwordHash: passwordHash, in: realm, where: condition)
        return opening(
            session, in: realm, from: "inserted", after: "inserted AS (\(insertion) RETURNING 1), \(ctes)",
            consuming: replayKeys)
    }

    /// Inserts an account without its identities.
    static func insertion(
        of account: Account, passwordHash: String? = nil, in realm: ID<Realm>, where condition: SQL = "true"
    ) -> SQL {
        """
        INSERT INTO account AS a (\(insertedColumns))
        SELECT \(realm.rawValue), \(account.id.rawValue), \(account.email?.rawValue), \(account.emailIsVerified),
            \(account.displayName), \(account.photoURL), \(passwordHash),
            \(account.passwordUpdatedAt.map { Timestamp($0) }), \(account.phoneNumber), \(account.customClaims?.json),
            \(account.disabledAt.map { Timestamp($0) }), \(account.usesEmailLinks), \(account.usesCustomTokens),
            \(Timestamp(account.createdAt)), \(account.lastSignInAt.map { Timestamp($0) }),
            \(Timestamp(account.validSince))
        WHERE \(condition)
        """
    }

    /// Inserts all of `accounts` without their identities. One array for each column: PostgreSQL unpacks arrays in half
    /// the time that JSON would need.
    static func insertion(of accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        func times(_ time: (Account) -> Instant?) -> SQL { "\(accounts.map { time($0.account)?.microseconds })" }
        func flags(_ flag: (Account) -> Bool) -> SQL { "\(accounts.map { flag($0.account) ? 1 : 0 })" }
        let all = accounts.map(\.account)
        return """
            INSERT INTO account AS a (\(insertedColumns))
            SELECT \(realm.rawValue), u.id, u.email, u.email_verified = 1, u.display_name, u.photo_url,
                u.password_hash, \(epochPlus("u.password_updated_at")), u.phone_number, u.custom_claims,
                \(epochPlus("u.disabled_at")), u.email_link_sign_in = 1, u.custom_auth = 1,
                \(epochPlus("u.created_at")), \(epochPlus("u.last_sign_in_at")), \(epochPlus("u.valid_since"))
            FROM unnest(\(all.map(\.id.rawValue)), \(all.map(\.email?.rawValue)),
                \(flags { $0.email != nil && $0.emailIsVerified }), \(all.map(\.displayName)),
                \(all.map(\.photoURL)), \(accounts.map(\.passwordHash)), \(times(\.passwordUpdatedAt)),
                \(all.map(\.phoneNumber)), \(all.map(\.customClaims?.json)), \(times(\.disabledAt)),
                \(flags(\.usesEmailLinks)), \(flags(\.usesCustomTokens)), \(times(\.createdAt)),
                \(times(\.lastSignInAt)), \(times(\.validSince)))
                AS u (id, email, email_verified, display_name, photo_url, password_hash, password_updated_at,
                    phone_number, custom_claims, disabled_at, email_link_sign_in, custom_auth, created_at,
                    last_sign_in_at, valid_since)
            """
    }

    private static let insertedColumns: SQL = """
        project_id, id, email, email_verified, display_name, photo_url, password_hash, password_updated_at, \
        phone_number, custom_claims, disabled_at, email_link_sign_in, custom_auth, created_at, last_sign_in_at, \
        valid_since
        """

    /// Converts microseconds since 1970 to a time; NULL stays NULL.
    static func epochPlus(_ microseconds: SQL) -> SQL {
        "timestamptz 'epoch' + \(microseconds) * interval '1 microsecond'"
    }
}

extension Account {
    /// A new account has been disabled since its creation.
    fileprivate var disabledAt: Instant? { isDisabled ? createdAt : nil }
}
