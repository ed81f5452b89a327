internal import FoundationEssentials
internal import Identity
internal import Postgres

extension SQL {
    /// Makes all of `accounts` in one statement, sent as one JSON text.
    static func insert(_ accounts: [StoredAccount], in project: ID<Project>) throws -> SQL {
        """
        WITH made AS (\(try insertion(accounts, in: project)) RETURNING id)
        DELETE FROM deleted_account d USING made WHERE d.project_id = \(project.rawValue) AND d.id = made.id
        """
    }

    /// The same, but leaves out accounts that have something in common with another one, in `accounts` as well.
    ///
    /// - Returns: the ids of those made.
    static func add(_ accounts: [StoredAccount], in project: ID<Project>) throws -> SQL {
        """
        WITH made AS (\(try insertion(accounts, in: project)) ON CONFLICT DO NOTHING RETURNING id),
        revived AS (
            DELETE FROM deleted_account d USING made WHERE d.project_id = \(project.rawValue) AND d.id = made.id)
        SELECT id FROM made
        """
    }

    private static func insertion(_ accounts: [StoredAccount], in project: ID<Project>) throws -> SQL {
        let rows = try json(accounts.map(ImportedAccountRow.init))
        return """
                INSERT INTO account (project_id, id, email, email_verified, display_name, photo_url, password_hash,
                    password_updated_at, phone_number, custom_claims, disabled_at, created_at, last_sign_in_at, valid_since)
                SELECT \(project.rawValue), u.id, u.email, u.email_verified, u.display_name, u.photo_url,
                    u.password_hash, \(epochPlus("u.password_updated_at")), u.phone_number, u.custom_claims,
                    \(epochPlus("u.disabled_at")), \(epochPlus("u.created_at")), \(epochPlus("u.last_sign_in_at")),
                    \(epochPlus("u.valid_since"))
                FROM json_to_recordset(\(rows)::json) AS u (id text, email text, email_verified boolean,
                    display_name text, photo_url text, password_hash text, password_updated_at bigint,
                    phone_number text, custom_claims text, disabled_at bigint, created_at bigint,
                    last_sign_in_at bigint, valid_since bigint)
            """
    }

    static func insertIdentities(of accounts: [StoredAccount], at now: Instant, in project: ID<Project>) throws -> SQL {
        let rows = try json(
            accounts.flatMap { stored in
                stored.account.identities.map { ImportedIdentityRow($0, of: stored.account.id) }
            })
        return """
            INSERT INTO linked_identity
                (project_id, provider, subject, account_id, email, display_name, photo_url, created_at)
            SELECT \(project.rawValue), u.provider, u.subject, u.account_id, u.email, u.display_name, u.photo_url,
                \(Timestamp(now))
            FROM json_to_recordset(\(rows)::json) AS u (provider text, subject text, account_id text, email text,
                display_name text, photo_url text)
            """
    }

    static func remove(_ accounts: [ID<Account>], in project: ID<Project>) -> SQL {
        "DELETE FROM account WHERE project_id = \(project.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))"
    }

    /// Rows of those that belong to somebody.
    static func owners(of identities: [LinkedIdentity], in project: ID<Project>) -> SQL {
        """
        SELECT l.provider, l.subject, l.account_id
        FROM unnest(\(identities.map(\.provider.rawValue)), \(identities.map(\.subject))) AS w (provider, subject)
        JOIN linked_identity l ON l.provider = w.provider AND l.subject = w.subject
        WHERE l.project_id = \(project.rawValue)
        """
    }

    /// Rows of the ids, addresses and numbers that somebody has.
    static func names(takenOf accounts: [Account], in project: ID<Project>) -> SQL {
        """
        SELECT 'id' AS member, id AS name FROM account
        WHERE project_id = \(project.rawValue) AND id = ANY (\(accounts.map(\.id.rawValue)))
        UNION ALL
        SELECT 'email', email FROM account
        WHERE project_id = \(project.rawValue) AND email = ANY (\(accounts.compactMap(\.email?.rawValue)))
        UNION ALL
        SELECT 'phone_number', phone_number FROM account
        WHERE project_id = \(project.rawValue) AND phone_number = ANY (\(accounts.compactMap(\.phoneNumber)))
        """
    }

    /// Microseconds since 1970 as a time; NULL stays NULL.
    private static func epochPlus(_ microseconds: SQL) -> SQL {
        "timestamptz 'epoch' + \(microseconds) * interval '1 microsecond'"
    }

    private static func json(_ rows: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(rows), as: UTF8.self)
    }
}

private struct ImportedAccountRow: Encodable {
    let id: String
    let email: String?
    let emailVerified: Bool
    let displayName: String?
    let photoURL: String?
    let passwordHash: String?
    let passwordUpdatedAt: Int64?
    let phoneNumber: String?
    let customClaims: String?
    let disabledAt: Int64?
    let createdAt: Int64
    let lastSignInAt: Int64?
    let validSince: Int64

    enum CodingKeys: String, CodingKey {
        case id, email
        case emailVerified = "email_verified"
        case displayName = "display_name"
        case photoURL = "photo_url"
        case passwordHash = "password_hash"
        case passwordUpdatedAt = "password_updated_at"
        case phoneNumber = "phone_number"
        case customClaims = "custom_claims"
        case disabledAt = "disabled_at"
        case createdAt = "created_at"
        case lastSignInAt = "last_sign_in_at"
        case validSince = "valid_since"
    }

    init(_ stored: StoredAccount) {
        let account = stored.account
        id = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.email != nil && account.emailIsVerified
        displayName = account.displayName
        photoURL = account.photoURL
        passwordHash = stored.passwordHash
        passwordUpdatedAt = account.passwordUpdatedAt?.microseconds
        phoneNumber = account.phoneNumber
        customClaims = account.customClaims?.json
        disabledAt = account.isDisabled ? account.createdAt.microseconds : nil
        createdAt = account.createdAt.microseconds
        lastSignInAt = account.lastSignInAt?.microseconds
        validSince = account.validSince.microseconds
    }
}

private struct ImportedIdentityRow: Encodable {
    let account: String
    let provider: String
    let subject: String
    let email: String?
    let displayName: String?
    let photoURL: String?

    enum CodingKeys: String, CodingKey {
        case account = "account_id"
        case provider, subject, email
        case displayName = "display_name"
        case photoURL = "photo_url"
    }

    init(_ identity: LinkedIdentity, of account: ID<Account>) {
        self.account = account.rawValue
        provider = identity.provider.rawValue
        subject = identity.subject
        email = identity.email?.rawValue
        displayName = identity.displayName
        photoURL = identity.photoURL
    }
}
