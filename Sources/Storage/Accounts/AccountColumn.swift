internal import Identity
internal import Postgres

/// A column of the table `account` for a member of ``Account``. Queries, insertions and updates take their columns from
/// ``all``, so a new member of an account needs only one column there.
///
/// Has closures instead of key paths, because access through a key path is several times slower.
struct AccountColumn: Sendable {
    /// A type that can be read, and sent alone or in an array.
    typealias Storable = ArrayedValue & Hashable & PostgresArrayElement & PostgresEncodable & Sendable

    private let name: StaticString
    private let type: ArrayType?
    /// Returns the value for an insertion.
    let parameter: @Sendable (Account) -> Parameter
    /// Returns the array of the values for an insertion of several accounts.
    let arrayParameter: @Sendable ([Account]) -> Parameter
    private let decode: @Sendable (inout ValuesByType, inout Account) throws -> Void
    /// Returns whether an update changes the column, and the new value; `nil` for a column that updates do not change,
    /// or whose new value depends on other columns (see ``SQL/update(_:by:at:in:where:from:passwordHash:)``).
    private let change: (@Sendable (AccountUpdate) -> (isMade: Parameter, value: Parameter))?

    /// Inlined, because the closures of a generic function are several times slower.
    ///
    /// - Parameters:
    ///   - value: returns what an insertion stores.
    ///   - set: sets the member to what the column contains.
    ///   - update: returns what an update stores; `nil` if the update does not change the member.
    @inline(__always)
    private init<Value: Storable>(
        _ name: StaticString, _ value: @escaping @Sendable (Account) -> Value?,
        _ set: @escaping @Sendable (inout Account, Value?) -> Void,
        update: (@Sendable (AccountUpdate) -> AccountUpdate.Value<Value>?)? = nil
    ) {
        self.name = name
        type = Value.arrayType
        parameter = { value($0).postgresParameter }
        arrayParameter = { Value?.postgresParameter(of: $0.map(value)) }
        decode = { values, account in set(&account, try values.next()) }
        guard let update else {
            change = nil
            return
        }
        change = {
            let value = update($0)
            return ((value != nil).postgresParameter, (value?.content).postgresParameter)
        }
    }

    /// A column that is never NULL.
    @inline(__always)
    private init<Value: Storable>(
        required name: StaticString, _ value: @escaping @Sendable (Account) -> Value,
        _ set: @escaping @Sendable (inout Account, Value) -> Void,
        update: (@Sendable (AccountUpdate) -> Value?)? = nil
    ) {
        self.name = name
        type = Value.arrayType
        parameter = { value($0).postgresParameter }
        arrayParameter = { Value.postgresParameter(of: $0.map(value)) }
        decode = { values, account in set(&account, try values.next()) }
        guard let update else {
            change = nil
            return
        }
        change = {
            let value = update($0)
            return ((value != nil).postgresParameter, value.postgresParameter)
        }
    }
}

extension AccountColumn {
    /// The columns apart from the key.
    private static let all = [
        email, emailIsVerified, vouchedEmail, initialEmail, displayName, photoURL, language, timeZone,
        passwordUpdatedAt, phoneNumber,
        phoneProvenAt,
        phoneAddedAt,
        customClaims,
        usesCustomTokens, usesEmailLinks, isDisabled, createdAt, lastSignInAt, validSince, generation,
    ]

    private static let email = AccountColumn(
        "email", { $0.email?.rawValue }, { $0.email = $1.map(EmailAddress.init(stored:)) })
    private static let emailIsVerified = AccountColumn(
        required: "email_verified", { $0.email != nil && $0.emailIsVerified }, { $0.emailIsVerified = $1 })
    private static let vouchedEmail = AccountColumn(
        "vouched_email", { $0.vouchedEmail?.rawValue }, { $0.vouchedEmail = $1.map(EmailAddress.init(stored:)) })
    private static let initialEmail = AccountColumn(
        "initial_email", { $0.initialEmail?.rawValue }, { $0.initialEmail = $1.map(EmailAddress.init(stored:)) })
    private static let displayName = AccountColumn(
        "display_name", { $0.displayName }, { $0.displayName = $1 }, update: { $0.profile.displayName })
    private static let photoURL = AccountColumn(
        "photo_url", { $0.photoURL?.rawValue }, { $0.photoURL = $1.flatMap(PhotoURL.init) },
        update: { $0.profile.photoURL?.map(\.rawValue) })
    private static let language = AccountColumn(
        "language", { $0.language?.rawValue }, { $0.language = $1.flatMap { Language(name: $0) } },
        update: { $0.profile.language?.map(\.rawValue) })
    private static let timeZone = AccountColumn(
        "time_zone", { $0.timeZone?.rawValue }, { $0.timeZone = $1.flatMap(TimeZoneName.init) },
        update: { $0.profile.timeZone?.map(\.rawValue) })
    private static let passwordUpdatedAt = AccountColumn(
        "password_updated_at", { $0.passwordUpdatedAt.map { Timestamp($0) } },
        { $0.passwordUpdatedAt = $1.map { Instant($0) } })
    private static let phoneNumber = AccountColumn(
        "phone_number", { $0.phoneNumber?.rawValue }, { $0.phoneNumber = $1.flatMap(PhoneNumber.init) },
        update: { $0.phoneNumber?.map(\.rawValue) })
    private static let phoneProvenAt = AccountColumn(
        "phone_proven_at", { $0.phoneProvenAt.map { Timestamp($0) } }, { $0.phoneProvenAt = $1.map { Instant($0) } },
        update: { $0.phoneTime(\.phoneProvenAt) })
    private static let phoneAddedAt = AccountColumn(
        "phone_added_at", { $0.phoneAddedAt.map { Timestamp($0) } }, { $0.phoneAddedAt = $1.map { Instant($0) } },
        update: { $0.phoneTime(\.phoneAddedAt) })
    private static let customClaims = AccountColumn(
        "custom_claims", { $0.customClaims?.json }, { $0.customClaims = $1.map(Claims.init) },
        update: { $0.customClaims.map { .set($0.json) } })
    private static let usesCustomTokens = AccountColumn(
        required: "custom_auth", { $0.usesCustomTokens }, { $0.usesCustomTokens = $1 })
    private static let usesEmailLinks = AccountColumn(
        required: "email_link_sign_in", { $0.usesEmailLinks }, { $0.usesEmailLinks = $1 })
    /// A new account can only be disabled since its creation.
    private static let isDisabled = AccountColumn(
        "disabled_at", { $0.isDisabled ? Timestamp($0.createdAt) : nil }, { $0.isDisabled = $1 != nil })
    private static let createdAt = AccountColumn(
        required: "created_at", { Timestamp($0.createdAt) }, { $0.createdAt = Instant($1) },
        update: { $0.createdAt.map { Timestamp($0) } })
    private static let lastSignInAt = AccountColumn(
        "last_sign_in_at", { $0.lastSignInAt.map { Timestamp($0) } }, { $0.lastSignInAt = $1.map { Instant($0) } },
        update: { $0.lastSignInAt.map { .set(Timestamp($0)) } })
    private static let validSince = AccountColumn(
        required: "valid_since", { Timestamp($0.validSince) }, { $0.validSince = Instant($1) })
    private static let generation = AccountColumn(required: "generation", { $0.generation }, { $0.generation = $1 })

    /// The columns that a first sign-in with a provider's identity sets. All others have their defaults.
    static let ofFirstSignIn = [email, emailIsVerified, displayName, photoURL, createdAt, lastSignInAt, validSince]
    private static let ofUpdates = all.filter { $0.change != nil }
}

extension AccountUpdate {
    /// A time that belongs to the number. A new number, or none, has no time unless the update sets it.
    fileprivate func phoneTime(_ member: KeyPath<AccountUpdate, Value<Instant>?>) -> Value<Timestamp>? {
        (self[keyPath: member] ?? (phoneNumber == nil ? nil : .remove)).map { $0.map { Timestamp($0) } }
    }
}

extension AccountColumn {
    /// Selects the columns as arrays. The table has the alias `a`.
    static let selection: SQL = {
        let expressions = all.map { TypedExpression($0.type, "a.\($0.nameInStatements)") }
        return """
            \(SQL.array(.text, of: expressions)) AS account_texts, \
            \(SQL.array(.time, of: expressions)) AS account_times, \
            \(SQL.array(.flag, of: expressions)) AS account_flags, a.generation
            """
    }()

    /// Decodes the columns of ``selection`` into an account.
    static func decode(_ row: Row, into account: inout Account) throws {
        var values = ValuesByType(
            texts: try row.fields("account_texts"), times: try row.fields("account_times"),
            flags: try row.fields("account_flags"), number: try row.decode("generation"))
        for column in all { try column.decode(&values, &account) }
    }

    /// The names of the columns of insertions, and the values of an account, of which the key is inserted separately.
    static let names = names(of: all)
    static func values(of account: Account) -> SQL { values(of: account, in: all) }

    /// The values of several accounts. `unnest` yields one row at a time.
    static func values(of accounts: [Account]) -> SQL {
        """
        \(list: all, { sql, column in
            sql.appendLiteral("unnest(")
            sql.appendInterpolation(column.arrayParameter(accounts))
            sql.appendLiteral(")")
        })
        """
    }

    static let namesOfFirstSignIn = names(of: ofFirstSignIn)
    var nameInStatements: SQL { SQL(stringLiteral: name) }

    /// The assignments of an update to the table with the alias `a`. Parameters state which columns change.
    static func assignments(of update: AccountUpdate) -> SQL {
        "\(list: ofUpdates, { sql, column in column.appendAssignment(of: update, to: &sql) })"
    }

    private func appendAssignment(of update: AccountUpdate, to sql: inout SQL.StringInterpolation) {
        guard let (isMade, value) = change?(update) else { return }
        appendName(to: &sql)
        sql.appendLiteral(" = CASE WHEN ")
        sql.appendInterpolation(isMade)
        sql.appendLiteral(" THEN ")
        sql.appendInterpolation(value)
        appendName(after: " ELSE a.", to: &sql)
        sql.appendLiteral(" END")
    }

    private func appendName(after prefix: StaticString = "", to sql: inout SQL.StringInterpolation) {
        sql.appendLiteral(prefix)
        sql.appendLiteral(name)
    }

    private static func names(of columns: [AccountColumn]) -> SQL {
        ("\(list: columns, { sql, column in column.appendName(to: &sql) })" as SQL).compacted
    }

    static func values(of account: Account, in columns: [AccountColumn]) -> SQL {
        "\(list: columns, { sql, column in sql.appendInterpolation(column.parameter(account)) })"
    }
}
