internal import Identity
internal import Postgres

extension SQL {
    /// Inserts an account without its identities, and opens its first session.
    static func create(
        _ account: Account, passwordHash: String? = nil, opening session: SessionRow, in realm: ID<Realm>
    ) -> SQL {
        let insertion = insertion(of: account, passwordHash: passwordHash, in: realm)
        return opening(session, in: realm, from: "inserted", after: "inserted AS (\(insertion) RETURNING 1),")
    }

    /// Inserts an account without its identities.
    static func insertion(
        of account: Account, passwordHash: String? = nil, in realm: ID<Realm>
    ) -> SQL {
        """
        INSERT INTO account AS a (\(insertedColumns))
        SELECT \(realm.rawValue), \(account.id.rawValue), \(account.email?.rawValue), \(account.emailIsVerified),
            \(account.displayName), \(account.photoURL), \(passwordHash),
            \(account.passwordUpdatedAt.map { Timestamp($0) }), \(account.phoneNumber), \(account.customClaims?.json),
            \(account.disabledAt.map { Timestamp($0) }), \(account.usesEmailLinks), \(account.usesCustomTokens),
            \(Timestamp(account.createdAt)), \(account.lastSignInAt.map { Timestamp($0) }),
            \(Timestamp(account.validSince))
        """
    }

    /// Inserts all of `accounts` without their identities.
    ///
    /// Each column is one array parameter, because PostgreSQL unpacks arrays in half the time that it needs for JSON.
    /// The arrays are unpacked in the select list, row by row. In `FROM`, PostgreSQL would first materialise all rows.
    static func insertion(of accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        func column<Value: PostgresEncodable & PostgresDecodable & PostgresArrayElement>(
            _ value: (StoredAccount) -> Value?
        ) -> SQL { "unnest(\(accounts.map(value)))" }
        func times(_ time: (Account) -> Instant?) -> SQL { column { time($0.account).map { Timestamp($0) } } }
        return """
            INSERT INTO account AS a (\(insertedColumns))
            SELECT \(realm.rawValue), \(column { $0.account.id.rawValue }), \(column { $0.account.email?.rawValue }),
                \(column { $0.account.email != nil && $0.account.emailIsVerified }),
                \(column { $0.account.displayName }), \(column { $0.account.photoURL }),
                \(column { $0.passwordHash }), \(times(\.passwordUpdatedAt)), \(column { $0.account.phoneNumber }),
                \(column { $0.account.customClaims?.json }), \(times(\.disabledAt)),
                \(column { $0.account.usesEmailLinks }), \(column { $0.account.usesCustomTokens }),
                \(times(\.createdAt)), \(times(\.lastSignInAt)), \(times(\.validSince))
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
    /// The creation time if the new account is disabled; otherwise `nil`.
    fileprivate var disabledAt: Instant? { isDisabled ? createdAt : nil }
}
