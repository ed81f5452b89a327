/// A verified (provider, subject) pair that is linked to one account.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// The provider's ID of the user; never empty.
    public let subject: String
    public var email: EmailAddress?
    public var emailTrust: EmailTrust
    public var isPrivateEmail: Bool
    /// The name that the provider sent first; Apple sends it only once.
    public var name: PersonName?
    public var displayName: String?
    public var photoURL: String?
    public var details = ProfileDetails()
    /// Apple's `real_user_status`, which Apple sends only once.
    public var realUserStatus: Int?
    /// The client ID of the latest credential.
    public var audience: String?
    /// The issuer of ``subject``, for a generic OpenID provider.
    public var issuer: String?
    /// When the identity was linked to this account. A merge, a move and their reversal set it again. `nil` until it is
    /// stored.
    public var linkedAt: Instant?
    /// The user agent of the device that linked it; at most 200 characters.
    public var linkedDevice: String?
    /// Only for Apple. `nil` if Apple never reported a state.
    public var credential: CredentialStatus?
    /// Of Apple: the `transfer_sub` of an identity that moves to another team and has not got its new subject yet.
    public var transferSubject: String?
    /// Whether Apple's relay forwards email to ``email``. `nil` if Apple never reported it.
    public var emailForwarding: Bool?

    public init(
        provider: ProviderID, subject: String, email: EmailAddress? = nil, emailTrust: EmailTrust = .none,
        isPrivateEmail: Bool = false, name: PersonName? = nil, displayName: String? = nil, photoURL: String? = nil,
        realUserStatus: Int? = nil, audience: String? = nil, issuer: String? = nil, linkedAt: Instant? = nil,
        linkedDevice: String? = nil, credential: CredentialStatus? = nil, emailForwarding: Bool? = nil
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
        self.credential = credential
        self.emailForwarding = emailForwarding
    }
}

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

/// Whether a user still uses Sign in with Apple for the project's apps, as of Apple's latest response.
public struct CredentialStatus: Hashable, Sendable {
    /// The wire's `credentialState`, named as the native `getCredentialState` names it.
    public enum State: String, CaseIterable, Sendable {
        case authorized = "AUTHORIZED"
        case revoked = "REVOKED"
        /// The app has moved to another team, and the user has not signed in since.
        case transferred = "TRANSFERRED"
        /// Apple has not reported anything, or the team or the private key has changed since.
        case unknown = "UNKNOWN"
    }

    public let state: State
    /// When Apple reported the state.
    public let checkedAt: Instant

    public init(_ state: State, at checkedAt: Instant) {
        self.state = state
        self.checkedAt = checkedAt
    }
}

extension LinkedIdentity {
    public var credentialState: CredentialStatus.State { credential?.state ?? .unknown }
}

extension CredentialStatus {
    /// The status after a sign-in with a token that Apple issued at `issuedAt`. A repeated old token proves nothing new.
    /// An unchanged state keeps its time, so that a sign-in writes no row for it.
    static func signedIn(before: CredentialStatus?, issuedAt: Instant?) -> CredentialStatus? {
        guard let issuedAt else { return before }
        guard let before else { return CredentialStatus(.authorized, at: issuedAt) }
        return before.state == .authorized || before.checkedAt >= issuedAt
            ? before : CredentialStatus(.authorized, at: issuedAt)
    }
}
