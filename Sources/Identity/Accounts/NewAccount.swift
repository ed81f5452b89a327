/// An account to be created, with what its first sign-in provides.
public struct NewAccount: Hashable, Sendable {
    public let id: ID<Account>
    public let email: EmailAddress?
    public let passwordHash: String?
    public let displayName: String?
    public let createdAt: Instant

    public init(
        id: ID<Account>, email: EmailAddress? = nil, passwordHash: String? = nil, displayName: String? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.email = email
        self.passwordHash = passwordHash
        self.displayName = displayName
        self.createdAt = createdAt
    }
}

extension Account {
    /// The account that was stored for `new`.
    public init(_ new: NewAccount) {
        self.init(
            id: new.id, email: new.email, displayName: new.displayName,
            passwordUpdatedAt: new.passwordHash == nil ? nil : new.createdAt, createdAt: new.createdAt,
            lastSignInAt: new.createdAt, lastRefreshAt: new.createdAt,
            validSince: Instant(seconds: new.createdAt.seconds))
    }
}
