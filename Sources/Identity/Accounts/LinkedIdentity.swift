/// A proven (provider, subject) pair that belongs to one account.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// The provider's own name for the person; never empty.
    public let subject: String
    public var email: EmailAddress?
    public var emailTrust: EmailTrust
    public var isPrivateEmail: Bool
    /// As it was given first, which may have been the only time.
    public var name: PersonName?
    public var displayName: String?
    public var photoURL: String?
    /// Apple's `real_user_status`, which comes once.
    public var realUserStatus: Int?
    /// The client id that the latest credential was for.
    public var audience: String?
    /// Of a generic OpenID provider: the issuer that named ``subject``.
    public var issuer: String?
    /// When the identity became this account's: a merge, a move and their undoing set it anew. `nil` until it is stored.
    public var linkedAt: Instant?
    /// The device that linked it, as its user agent named itself; at most 200 characters.
    public var linkedDevice: String?

    public init(
        provider: ProviderID, subject: String, email: EmailAddress? = nil, emailTrust: EmailTrust = .none,
        isPrivateEmail: Bool = false, name: PersonName? = nil, displayName: String? = nil, photoURL: String? = nil,
        realUserStatus: Int? = nil, audience: String? = nil, issuer: String? = nil, linkedAt: Instant? = nil,
        linkedDevice: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailTrust = emailTrust
        self.isPrivateEmail = isPrivateEmail
        self.name = name
        self.displayName = displayName
        self.photoURL = photoURL
        self.realUserStatus = realUserStatus
        self.audience = audience
        self.issuer = issuer
        self.linkedAt = linkedAt
        self.linkedDevice = linkedDevice
    }

    /// What is kept of `identity`, with what was known `before`: a name, once there, stays; an address that the
    /// provider left out this time is the last one it gave.
    public init(_ identity: VerifiedIdentity, before: LinkedIdentity? = nil) {
        let keepsAddress = identity.email == nil
        self.init(
            provider: identity.provider, subject: identity.subject,
            email: keepsAddress ? before?.email : identity.email,
            emailTrust: keepsAddress ? before?.emailTrust ?? .none : identity.emailTrust,
            isPrivateEmail: keepsAddress ? before?.isPrivateEmail ?? false : identity.isPrivateEmail,
            name: before?.name ?? identity.name, displayName: before?.displayName ?? identity.displayName,
            photoURL: identity.photoURL ?? before?.photoURL,
            realUserStatus: before?.realUserStatus ?? identity.realUserStatus, audience: identity.audience,
            issuer: identity.issuer ?? before?.issuer, linkedAt: before?.linkedAt, linkedDevice: before?.linkedDevice)
    }
}

extension Account {
    /// A new account for `identity`.
    ///
    /// - Parameter takesEmail: the account holds the identity's address.
    public init(_ id: ID<Account>, for identity: LinkedIdentity, takesEmail: Bool, at now: Instant) {
        let email = takesEmail ? identity.email : nil
        self.init(
            id: id, email: email, emailIsVerified: email != nil && identity.emailTrust == .authoritative,
            displayName: identity.displayName, photoURL: identity.photoURL, identities: [identity], createdAt: now,
            lastSignInAt: now, lastRefreshAt: now, validSince: Instant(seconds: now.seconds))
    }

    /// The account after a sign-in with an identity that it had.
    public func signedIn(with identity: LinkedIdentity, at now: Instant) -> Account {
        var account = self
        account.identities = identities.map {
            $0.provider == identity.provider && $0.subject == identity.subject ? identity : $0
        }
        account.displayName = displayName ?? identity.displayName
        account.lastSignInAt = now
        return account
    }
}
