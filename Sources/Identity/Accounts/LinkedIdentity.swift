extension LinkedIdentity {
    /// The stored values of `identity`, given those of `before`: a name stays once it is known; if the provider omits
    /// the address this time, the last one is kept.
    public init(_ identity: VerifiedIdentity, before: LinkedIdentity? = nil) {
        let keepsAddress = identity.email == nil
        let credential = CredentialStatus.signedIn(before: before?.credential, issuedAt: identity.issuedAt)
        let isNewConsent = before?.credential?.state == .revoked && credential?.state != .revoked
        let keepsRelay = (keepsAddress || before?.email == identity.email) && !isNewConsent
        self.init(
            provider: identity.provider, subject: identity.subject,
            email: keepsAddress ? before?.email : identity.email,
            emailTrust: keepsAddress ? before?.emailTrust ?? .none : identity.emailTrust,
            isPrivateEmail: keepsAddress ? before?.isPrivateEmail ?? false : identity.isPrivateEmail,
            name: before?.name ?? identity.name, displayName: before?.displayName ?? identity.displayName,
            photoURL: identity.photoURL ?? before?.photoURL,
            realUserStatus: before?.realUserStatus ?? identity.realUserStatus, audience: identity.audience,
            issuer: identity.issuer ?? before?.issuer, linkedAt: before?.linkedAt, linkedDevice: before?.linkedDevice,
            credential: credential,
            // Nothing is known about a new address, or after a new consent.
            emailForwarding: keepsRelay ? before?.emailForwarding : nil)
        details = identity.details
        transferSubject = before?.transferSubject
    }
}

extension Account {
    public func identity(_ provider: ProviderID, subject: String) -> LinkedIdentity? {
        identities.first { $0.provider == provider && $0.subject == subject }
    }

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

    /// The account after a sign-in with an identity that is already linked.
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
