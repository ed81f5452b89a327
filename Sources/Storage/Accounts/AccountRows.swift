internal import EventLoop
internal import Identity
internal import JSON
internal import Postgres

/// The columns of an ``Account`` in a table with the alias `a`, and their decoding.
enum AccountRow {
    /// Selects the account's columns.
    static let columns: SQL =
        "a.id, \(AccountColumn.selection), \(IdentityRow.column), \(secondFactors), \(passkeys)"

    /// A column with the second factors of the account as a JSON object in text; NULL for an account without factors.
    /// The function keeps the subqueries out of this statement, because PostgreSQL would prepare them for every
    /// execution.
    private static let secondFactors: SQL =
        "CASE WHEN a.factor_count > 0 THEN second_factors(a.realm_id, a.id) END AS second_factors"

    /// A column with the passkeys of the account as a JSON array in text; NULL for an account without passkeys.
    private static let passkeys: SQL =
        "CASE WHEN a.passkey_count > 0 THEN passkeys(a.realm_id, a.id) END AS passkeys"

    /// A column with the time of the latest token refresh in any session of the account. Reads at most a thousand
    /// sessions: the active ones, and then those that ended last. Otherwise a client that signs in and out again and
    /// again would make the look-ups of its account slow.
    static let lastRefresh: SQL = """
        (SELECT max(r.refreshed_at) FROM (SELECT r.refreshed_at FROM session r \
        WHERE r.realm_id = a.realm_id AND r.account_id = a.id ORDER BY r.ended_at DESC LIMIT 1000) r) \
        AS last_refresh_at
        """

    static func account(_ row: Row) throws -> Account {
        let epoch = Instant(microseconds: 0)
        var account = Account(id: ID(try row.decode("id")), createdAt: epoch, validSince: epoch)
        try AccountColumn.decode(row, into: &account)
        account.identities = try IdentityRow.identities(row)
        account.secondFactors = try secondFactors(try row.decode("second_factors"))
        account.passkeys = try passkeys(try row.decode("passkeys"))
        return account
    }

    /// Decodes an account from a row that also has the column `password_hash`.
    static func storedAccount(_ row: Row) throws -> StoredAccount {
        let passwordHash = try row.decode("password_hash", as: String?.self)
        return StoredAccount(account: try account(row), passwordHash: passwordHash)
    }

    /// Decodes an account from a row that also has the column ``lastRefresh``.
    static func accountWithLastRefresh(_ row: Row) throws -> Account {
        var account = try account(row)
        account.lastRefreshAt = try row.decode("last_refresh_at", as: Timestamp?.self).map { Instant($0) }
        return account
    }

    /// The column `second_factors`. Times are in microseconds since 1970.
    private struct StoredFactors: Decodable {
        struct StoredFactor: Decodable {
            let id: String
            let kind: Factor.Kind
            let phoneNumber: String?
            let displayName: String?
            let enrolledAt: Int64
        }

        struct StoredRecoveryCodes: Decodable {
            let remaining: Int
            let createdAt: Int64
        }

        let factors: [StoredFactor]?
        let recoveryCodes: StoredRecoveryCodes?
    }

    private static func secondFactors(_ json: String?) throws -> SecondFactors {
        guard let json else { return .none }
        let stored = try StrictJSON.decode(StoredFactors.self, from: Array(json.utf8))
        return SecondFactors(
            factors: (stored.factors ?? []).map {
                Factor(
                    id: ID($0.id), kind: $0.kind, phoneNumber: $0.phoneNumber.flatMap(PhoneNumber.init),
                    displayName: $0.displayName,
                    enrolledAt: Instant(microseconds: $0.enrolledAt))
            },
            recoveryCodes: stored.recoveryCodes.map {
                SecondFactors.RecoveryCodes(
                    remaining: $0.remaining, createdAt: Instant(microseconds: $0.createdAt))
            })
    }

    /// An element of the column `passkeys`. Times are in microseconds since 1970.
    private struct StoredPasskey: Decodable {
        let id: String
        let rpId: String
        let userHandle: String
        let name: String
        let createdAt: Int64
        let addedAt: Int64
        let lastUsedAt: Int64?
        let isBackedUp: Bool
        let transports: [String]
        let aaguid: String
    }

    private static func passkeys(_ json: String?) throws -> [Passkey] {
        guard let json else { return [] }
        return try StrictJSON.decode([StoredPasskey].self, from: Array(json.utf8)).map {
            Passkey(
                id: ID($0.id), rpID: $0.rpId, userHandle: $0.userHandle, name: $0.name,
                createdAt: Instant(microseconds: $0.createdAt), addedAt: Instant(microseconds: $0.addedAt),
                lastUsedAt: $0.lastUsedAt.map(Instant.init(microseconds:)), isBackedUp: $0.isBackedUp,
                transports: $0.transports, aaguid: $0.aaguid)
        }
    }
}

extension SQL {
    /// Updates an account's row. Sign-ins and linked identities have other statements.
    ///
    /// SQL parameters state which members change. The text of the statement is therefore always the same, and
    /// PostgreSQL reuses the plan. Removing the email address also disables the sign-in by email link. The columns
    /// below depend on other columns; ``AccountColumn`` has the others.
    ///
    /// - Parameters:
    ///   - id: the ID of the account, whose row has the alias `a` in the other parameters.
    ///   - condition: a further condition on the row.
    ///   - source: a `FROM` clause, to whose tables `condition` and `passwordHash` may refer.
    ///   - passwordHash: an SQL expression that is stored instead of ``AccountUpdate/passwordHash``. It is ignored if
    ///     `update` does not change the password.
    static func update(
        _ id: ID<Account>, by update: AccountUpdate, at time: Instant, in realm: ID<Realm>,
        where condition: SQL = "true",
        from source: SQL = "", passwordHash: SQL? = nil
    ) -> SQL {
        let now = Timestamp(time)
        let (email, hash) = (update.email?.content?.rawValue, update.passwordHash?.content)
        return """
            UPDATE account a SET
                \(AccountColumn.assignments(of: update)),
                email = CASE WHEN \(update.email != nil) THEN \(email) ELSE a.email END,
                initial_email = CASE WHEN \(update.removesInitialEmail) THEN NULL
                    WHEN \(email != nil) AND a.email IS DISTINCT FROM \(email) THEN coalesce(a.initial_email, a.email) ELSE a.initial_email END,
                email_verified = CASE WHEN \(update.email != nil) THEN \(email) ELSE a.email END IS NOT NULL
                    AND coalesce(\(update.emailIsVerified), a.email_verified
                        AND NOT (\(update.email != nil) AND a.email IS DISTINCT FROM \(email))),
                vouched_email = CASE WHEN \(update.email != nil) AND a.email IS DISTINCT FROM \(email) THEN NULL
                    WHEN \(update.vouchedEmail != nil) THEN \(update.vouchedEmail?.content?.rawValue)
                    ELSE a.vouched_email END,
                password_hash = CASE WHEN \(update.passwordHash != nil) THEN \(passwordHash ?? "\(hash)")
                    ELSE a.password_hash END,
                password_updated_at = CASE WHEN \(update.passwordHash != nil) THEN \(hash == nil ? nil : now)
                    ELSE a.password_updated_at END,
                email_link_sign_in = \(update.email != .remove) AND coalesce(\(update.usesEmailLinks), a.email_link_sign_in),
                disabled_at = CASE WHEN \(update.isDisabled == nil) THEN a.disabled_at
                    WHEN \(update.isDisabled == true) THEN coalesce(a.disabled_at, \(now)) END,
                valid_since = coalesce(\(update.validSince.map { Timestamp($0) }),
                    CASE WHEN \(update.endsSessions) THEN date_trunc('second', \(now)) ELSE a.valid_since END),
                generation = CASE WHEN \(update.endsSessions) THEN a.generation + 1 ELSE a.generation END
            \(source)
            WHERE a.realm_id = \(realm.rawValue) AND a.id = \(id.rawValue) AND \(condition)
            """
    }
}

extension Instant {
    init(_ timestamp: Timestamp) { self.init(microseconds: timestamp.microsecondsSinceEpoch) }
}

extension Timestamp {
    init(_ instant: Instant) { self.init(microsecondsSinceEpoch: instant.microseconds) }
}

extension SQL {
    /// Inserts an account without its identities, and opens its first session.
    static func create(_ account: StoredAccount, opening session: NewSession, in realm: ID<Realm>) throws -> SQL {
        try openSession(
            session, in: realm, forEachRowOf: "inserted",
            with: "inserted AS (\(insertion(of: account, in: realm)) RETURNING 1),")
    }

    /// Inserts an account without its identities.
    static func insertion(of stored: StoredAccount, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO account AS a (realm_id, id, password_hash, \(AccountColumn.names))
        SELECT \(realm.rawValue), \(stored.account.id.rawValue), \(stored.passwordHash),
            \(AccountColumn.values(of: stored.account))
        """
    }

    /// Inserts all of `accounts` without their identities.
    ///
    /// Each column is one array parameter, because PostgreSQL unpacks arrays in half the time that it needs for JSON.
    /// `unnest` is in the select list, where it yields one row at a time. In `FROM`, PostgreSQL would first materialise
    /// all rows.
    static func insertion(of accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO account AS a (realm_id, id, password_hash, \(AccountColumn.names))
        SELECT \(realm.rawValue), unnest(\(accounts.map(\.account.id.rawValue))),
            unnest(\(accounts.map(\.passwordHash))), \(AccountColumn.values(of: accounts.map(\.account)))
        """
    }

    /// Converts microseconds since 1970 to a time; NULL stays NULL.
    static func timestamptz(microseconds: SQL) -> SQL {
        "timestamptz 'epoch' + \(microseconds) * interval '1 microsecond'"
    }
}

extension [Row] {
    /// Decodes accounts in slices: a thousand accounts take some 20 milliseconds.
    func accounts(_ decode: (Row) throws -> Account) async throws -> [Account] {
        try await mapInSlices(of: 25, decode)
    }
}
