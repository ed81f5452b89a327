internal import Identity
internal import Postgres

extension SQL {
    /// Inserts all of `accounts` in one statement.
    static func insert(_ accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        """
        WITH inserted AS (\(insertion(accounts, in: realm)) RETURNING id)
        DELETE FROM deleted_account d USING inserted WHERE d.project_id = \(realm.rawValue) AND d.id = inserted.id
        """
    }

    /// The same, without accounts that share a unique member with another account, also within `accounts`.
    ///
    /// - Returns: the IDs of the inserted accounts.
    static func add(_ accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        """
        WITH inserted AS (\(insertion(accounts, in: realm)) ON CONFLICT DO NOTHING RETURNING id),
        deleted_tombstones AS (
            DELETE FROM deleted_account d USING inserted i WHERE d.project_id = \(realm.rawValue) AND d.id = i.id)
        SELECT id FROM inserted
        """
    }

    /// One array for each column: PostgreSQL unpacks arrays in half the time that JSON would need.
    private static func insertion(_ accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        func times(_ time: (Account) -> Instant?) -> SQL { "\(accounts.map { time($0.account)?.microseconds })" }
        let all = accounts.map(\.account)
        return """
            INSERT INTO account (project_id, id, email, email_verified, display_name, photo_url, password_hash,
                password_updated_at, phone_number, custom_claims, disabled_at, created_at, last_sign_in_at, valid_since)
            SELECT \(realm.rawValue), u.id, u.email, u.email_verified = 1, u.display_name, u.photo_url,
                u.password_hash, \(epochPlus("u.password_updated_at")), u.phone_number, u.custom_claims,
                \(epochPlus("u.disabled_at")), \(epochPlus("u.created_at")), \(epochPlus("u.last_sign_in_at")),
                \(epochPlus("u.valid_since"))
            FROM unnest(\(all.map(\.id.rawValue)), \(all.map(\.email?.rawValue)),
                \(all.map { $0.email != nil && $0.emailIsVerified ? 1 : 0 }), \(all.map(\.displayName)),
                \(all.map(\.photoURL)), \(accounts.map(\.passwordHash)), \(times(\.passwordUpdatedAt)),
                \(all.map(\.phoneNumber)), \(all.map(\.customClaims?.json)), \(times { $0.isDisabled ? $0.createdAt : nil }),
                \(times(\.createdAt)), \(times(\.lastSignInAt)), \(times(\.validSince)))
                AS u (id, email, email_verified, display_name, photo_url, password_hash, password_updated_at,
                    phone_number, custom_claims, disabled_at, created_at, last_sign_in_at, valid_since)
            """
    }

    /// An imported account is inserted with its identities.
    static func insertIdentities(of accounts: [StoredAccount], at now: Instant, in realm: ID<Realm>) -> SQL {
        let owned = accounts.flatMap { stored in stored.account.identities.map { (stored.account, $0) } }
        let all = owned.map(\.1)
        let issuer: SQL =
            all.contains { $0.provider.isGenericOpenID } ? issuer(of: "u.provider", in: realm) : "NULL"
        return """
            INSERT INTO linked_identity
                (project_id, provider, subject, account_id, email, display_name, photo_url, issuer, created_at,
                    linked_at)
            SELECT \(realm.rawValue), u.provider, u.subject, u.account_id, u.email, u.display_name, u.photo_url,
                \(issuer), \(Timestamp(now)), \(epochPlus("u.linked_at"))
            FROM unnest(\(all.map(\.provider.rawValue)), \(all.map(\.subject)), \(owned.map(\.0.id.rawValue)),
                \(all.map(\.email?.rawValue)), \(all.map(\.displayName)), \(all.map(\.photoURL)),
                \(owned.map(\.0.createdAt.microseconds)))
                AS u (provider, subject, account_id, email, display_name, photo_url, linked_at)
            """
    }

    static func remove(_ accounts: [ID<Account>], in realm: ID<Realm>) -> SQL {
        "DELETE FROM account WHERE project_id = \(realm.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))"
    }

    /// Rows of the identities that some account has.
    static func owners(of identities: [LinkedIdentity], in realm: ID<Realm>) -> SQL {
        """
        WITH \(param(realm))
        SELECT l.provider, l.subject, l.account_id FROM param CROSS JOIN
            unnest(\(identities.map(\.provider.rawValue)), \(identities.map(\.subject))) AS w (provider, subject)
        JOIN linked_identity l
            ON l.project_id = param.project_id AND l.provider = w.provider AND l.subject = w.subject
        """
    }

    /// Rows of the IDs, addresses and numbers that some account has.
    static func names(takenOf accounts: [Account], in realm: ID<Realm>) -> SQL {
        """
        WITH \(param(realm))
        SELECT 'id' AS member, a.id AS name FROM param
        CROSS JOIN unnest(\(accounts.map(\.id.rawValue))) AS w (id)
        JOIN account a ON a.project_id = param.project_id AND a.id = w.id
        UNION ALL
        SELECT 'email', a.email FROM param CROSS JOIN unnest(\(accounts.compactMap(\.email?.rawValue))) AS w (email)
        JOIN account a ON a.project_id = param.project_id AND a.email = w.email
        UNION ALL
        SELECT 'phone_number', a.phone_number FROM param
        CROSS JOIN unnest(\(accounts.compactMap(\.phoneNumber))) AS w (phone_number)
        JOIN account a ON a.project_id = param.project_id AND a.phone_number = w.phone_number
        """
    }

    /// Converts microseconds since 1970 to a time; NULL stays NULL.
    private static func epochPlus(_ microseconds: SQL) -> SQL {
        "timestamptz 'epoch' + \(microseconds) * interval '1 microsecond'"
    }
}
