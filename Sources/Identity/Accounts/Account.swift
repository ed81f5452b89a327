/// One person in one project (`localId` on the wire is ``id``).
public struct Account: Hashable, Sendable {
    public let id: ID<Account>
    public var email: EmailAddress?
    public var emailIsVerified: Bool
    public var displayName: String?
    public var photoURL: String?
    /// When the password was set; `nil` if the account has none.
    public var passwordUpdatedAt: Instant?
    /// In E.164, with the plus sign.
    public var phoneNumber: String?
    public var identities: [LinkedIdentity]
    public var customClaims: Claims?
    /// Somebody has signed in with a custom token.
    public var usesCustomTokens: Bool
    /// Somebody has signed in with a link sent to its mailbox.
    public var usesEmailLinks: Bool
    public var isDisabled: Bool
    public var createdAt: Instant
    public var lastSignInAt: Instant?
    /// The latest exchange of a refresh token among the sessions that are kept.
    public var lastRefreshAt: Instant?
    /// Tokens of logins before this second are void for those who only read tokens.
    public var validSince: Instant
    /// Sessions of an earlier generation are dead. Moving on ends every session in one step, whoever is signing in meanwhile.
    public var generation: Int64

    public init(
        id: ID<Account>, email: EmailAddress? = nil, emailIsVerified: Bool = false, displayName: String? = nil,
        photoURL: String? = nil, passwordUpdatedAt: Instant? = nil, phoneNumber: String? = nil,
        identities: [LinkedIdentity] = [], customClaims: Claims? = nil, usesCustomTokens: Bool = false,
        usesEmailLinks: Bool = false, isDisabled: Bool = false, createdAt: Instant, lastSignInAt: Instant? = nil,
        lastRefreshAt: Instant? = nil, validSince: Instant, generation: Int64 = 1
    ) {
        self.id = id
        self.email = email
        self.emailIsVerified = emailIsVerified
        self.displayName = displayName
        self.photoURL = photoURL
        self.passwordUpdatedAt = passwordUpdatedAt
        self.phoneNumber = phoneNumber
        self.identities = identities
        self.customClaims = customClaims
        self.usesCustomTokens = usesCustomTokens
        self.usesEmailLinks = usesEmailLinks
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.lastRefreshAt = lastRefreshAt
        self.validSince = validSince
        self.generation = generation
    }

    public var hasPassword: Bool { passwordUpdatedAt != nil }

    /// Nothing to prove oneself with again: no identity, no mailbox, and so no password that could be asked for, no
    /// phone, and no backend that vouches.
    public var isAnonymous: Bool { identities.isEmpty && email == nil && phoneNumber == nil && !usesCustomTokens }

    /// The wire's `signinMethods`: every way back into this account.
    public var signInMethods: [ProviderID] {
        (hasPassword ? [.password] : []) + (usesEmailLinks ? [.emailLink] : []) + identities.map(\.provider)
    }
}
