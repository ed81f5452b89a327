/// One person in one realm (`localId` on the wire is ``id``).
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
    /// Whether the account was ever signed in with a custom token.
    public var usesCustomTokens: Bool
    /// Whether the account was ever signed in with a link sent to its mailbox.
    public var usesEmailLinks: Bool
    public var isDisabled: Bool
    public var createdAt: Instant
    public var lastSignInAt: Instant?
    /// The latest use of a refresh token among the stored sessions.
    public var lastRefreshAt: Instant?
    /// Tokens of logins before this second are invalid for backends that verify tokens themselves.
    public var validSince: Instant
    /// Sessions of an earlier generation have ended. Changing the generation ends every session in one step, including
    /// sign-ins in progress.
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

    /// Whether the user cannot authenticate again: the account has no identity, no mailbox (and so no password), no
    /// phone number, and no backend that signs the user in.
    public var isAnonymous: Bool { identities.isEmpty && email == nil && phoneNumber == nil && !usesCustomTokens }

    /// The wire's `signinMethods`: every sign-in method of the account.
    public var signInMethods: [ProviderID] {
        (hasPassword ? [.password] : []) + (usesEmailLinks ? [.emailLink] : []) + identities.map(\.provider)
    }
}
