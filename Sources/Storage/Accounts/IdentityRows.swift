internal import Identity
internal import Postgres

/// The identities of an account as a column of a row, and their decoding.
enum IdentityRow {
    /// Selects the identities of the account in a table with the alias `a`. They have no order, because PostgreSQL
    /// would prepare a sort for each execution.
    static let column: SQL = """
        ARRAY(SELECT ROW(\(SQL.array(.text, of: expressions)), \(SQL.array(.time, of: expressions)), \
        \(SQL.array(.flag, of: expressions)), l.real_user_status) FROM linked_identity l \
        WHERE l.realm_id = a.realm_id AND l.account_id = a.id) AS identities
        """

    /// In the order in which ``LinkedIdentity/init(_:)`` reads them, after the time by which identities are sorted.
    private static let expressions = [
        TypedExpression(.time, "l.created_at"),
        TypedExpression(.text, "l.provider"), TypedExpression(.text, "l.subject"), TypedExpression(.text, "l.email"),
        TypedExpression(.text, "l.email_trust"), TypedExpression(.flag, "l.is_private_email"),
        TypedExpression(.text, "l.given_name"), TypedExpression(.text, "l.family_name"),
        TypedExpression(.text, "l.display_name"), TypedExpression(.text, "l.photo_url"),
        TypedExpression(.text, "l.screen_name"), TypedExpression(.text, "l.language"),
        TypedExpression(.text, "l.time_zone"), TypedExpression(.text, "l.audience"), TypedExpression(.text, "l.issuer"),
        TypedExpression(.time, "l.linked_at"), TypedExpression(.text, "l.linked_device"),
        TypedExpression(.text, "l.credential_state"), TypedExpression(.time, "l.credential_checked_at"),
        TypedExpression(.flag, "l.relay_forwarding"),
        TypedExpression(.text, "CASE WHEN l.transferred_at IS NULL THEN l.transfer_sub END"),
        TypedExpression(.flag, "l.suspended_at IS NOT NULL"), TypedExpression(.time, "l.credentials_void_before"),
    ]

    /// Returns the identities in the order in which they were linked to any account for the first time.
    static func identities(_ row: Row) throws -> [LinkedIdentity] {
        var remaining = try row.fields("identities")
        var found: [(createdAt: Timestamp, identity: LinkedIdentity)] = []
        while remaining.count > 0 {
            var composite = try remaining.nextFields()
            var values = ValuesByType(
                texts: try composite.nextFields(), times: try composite.nextFields(),
                flags: try composite.nextFields(), number: try composite.next())
            found.append((try values.next(), try LinkedIdentity(&values)))
        }
        found.sort { ($0.createdAt, $0.identity.provider) < ($1.createdAt, $1.identity.provider) }
        return found.map(\.identity)
    }
}

extension LinkedIdentity {
    fileprivate init(_ values: inout ValuesByType) throws {
        self.init(
            provider: ProviderID(try values.next()), subject: try values.next(),
            email: try values.next(as: String?.self).flatMap(EmailAddress.init),
            emailTrust: try EmailTrust(stored: try values.next()), isPrivateEmail: try values.next(),
            profile: UserProfile(
                name: PersonName(given: try values.next(), family: try values.next()),
                displayName: try values.next(), photoURL: try values.next(as: String?.self).flatMap(PhotoURL.init),
                screenName: try values.next(), language: try values.next(), timeZone: try values.next()),
            realUserStatus: try values.next(as: Int64?.self).map { Int($0) }, audience: try values.next(),
            issuer: try values.next(), linkedAt: Instant(try values.next()), linkedDevice: try values.next(),
            credential: try CredentialStatus(&values), emailForwarding: try values.next())
        transferSubject = try values.next()
        isSuspended = try values.next()
        credentialsVoidBefore = try values.next(as: Timestamp?.self).map { Instant($0) }
    }
}

extension EmailTrust {
    fileprivate init(stored name: String) throws {
        guard let trust = EmailTrust(rawValue: name) else {
            throw PostgresError.decoding(column: "email_trust", fault: .malformed)
        }
        self = trust
    }
}

extension CredentialStatus {
    /// `nil` without a state that this release knows.
    fileprivate init?(_ values: inout ValuesByType) throws {
        let state = try values.next(as: String?.self).flatMap(State.init)
        let checkedAt = try values.next(as: Timestamp?.self)
        guard let state, let checkedAt else { return nil }
        self.init(state, at: Instant(checkedAt))
    }
}
