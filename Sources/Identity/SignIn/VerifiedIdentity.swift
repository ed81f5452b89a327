/// A provider's credential as the client sent it, unchecked.
public struct FederatedCredential: Sendable {
    public let provider: ProviderID
    public internal(set) var idToken: Secret?
    /// The provider's access token. No verifier of production uses it.
    public let accessToken: Secret?
    /// The nonce of the app, before hashing.
    public let rawNonce: String?
    /// Whether the gateway issued ``rawNonce``. Such a nonce is single-use, and clients cannot forge it.
    public internal(set) var nonceIsFromGateway = false
    /// Whether a token without a nonce is rejected even if the token claims that the device does not support nonces.
    public internal(set) var requiresNonceInToken = false
    /// The user's name from Apple, which Apple sends only with the user's first sign-in to an app.
    public let name: PersonName?
    /// Apple's code is redeemed after the sign-in. The code of a provider with
    /// ``Provider/acceptsServerAuthCodes`` is redeemed for the ID token if there is none. Any other code is ignored.
    public let authorizationCode: AuthorizationCode?

    public init(
        provider: ProviderID, idToken: Secret?, accessToken: Secret? = nil, rawNonce: String? = nil,
        name: PersonName? = nil, authorizationCode: AuthorizationCode? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.accessToken = accessToken
        self.rawNonce = rawNonce
        self.name = name
        self.authorizationCode = authorizationCode
    }
}

/// A provider's claims about one user, verified: signature, issuer, audience, times and nonce.
public struct VerifiedIdentity: Hashable, Codable, Sendable {
    public let provider: ProviderID
    /// 1 to 255 characters.
    public let subject: String
    /// The client ID that the credential was issued to.
    public let audience: String
    /// The provider's `iss`; `nil` for built-in providers, whose issuer never changes.
    public var issuer: String?
    /// The domain of the organisation that manages the account; see ``ProviderSettings/hostedDomains``.
    public var hostedDomain: HostedDomain?
    public var email: EmailAddress?
    public var emailTrust: EmailTrust
    /// Whether the address is a relay address that hides the user's own.
    public var isPrivateEmail: Bool
    public var profile: UserProfile
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real.
    public var realUserStatus: Int?
    /// The provider's claims as a JSON object: the wire's `rawUserInfo`.
    public var rawUserInfo: String
    /// The nonce of the request, before hashing. If the request has no nonce and the provider is not Apple, the nonce
    /// of the provider's token.
    public var nonce: String?
    /// Consumed when this identity signs a user in, is linked, or proves one side of a merge.
    public var replayKeys: [ReplayKey]
    /// When the provider issued the credential; `nil` unless the provider is Apple.
    public var issuedAt: Instant?
    /// When the provider issued the token, if the provider reports the end of all sessions; see
    /// ``LinkedIdentity/credentialsVoidBefore``.
    public var tokenIssuedAt: Instant?
    /// Apple's authorization code that came with the credential, or the refresh token that the gateway exchanged it
    /// for.
    public var appleToken: SealedAppleToken?
    /// Apple's `transfer_sub`, in the sixty days after its app moved to another team.
    public var transferSubject: String?

    public init(
        provider: ProviderID, subject: String, audience: String, issuer: String? = nil, email: EmailAddress? = nil,
        emailTrust: EmailTrust = .none, isPrivateEmail: Bool = false, profile: UserProfile = UserProfile(),
        realUserStatus: Int? = nil, rawUserInfo: String = "{}", nonce: String? = nil, replayKeys: [ReplayKey] = [],
        hostedDomain: HostedDomain? = nil, issuedAt: Instant? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.audience = audience
        self.issuer = issuer
        self.email = email
        self.emailTrust = emailTrust
        self.isPrivateEmail = isPrivateEmail
        self.profile = profile
        self.realUserStatus = realUserStatus
        self.rawUserInfo = rawUserInfo
        self.nonce = nonce
        self.replayKeys = replayKeys
        self.hostedDomain = hostedDomain
        self.issuedAt = issuedAt
    }
}

extension VerifiedIdentity {
    /// The identity as an app that requests `scopes` may use it. If `policy` drops unrequested values, the name or the
    /// address that the app does not request is removed. ``rawUserInfo``, which contains both, is then removed too.
    func limited(to scopes: Set<AppSettings.RequestedScope>, by policy: Policy) -> VerifiedIdentity {
        guard policy.dropsUnrequestedProfile, scopes.count < AppSettings.RequestedScope.allCases.count else {
            return self
        }
        var identity = self
        if !scopes.contains(.email) {
            (identity.email, identity.emailTrust, identity.isPrivateEmail) = (nil, .none, false)
        }
        if !scopes.contains(.name) { identity.profile = UserProfile() }
        identity.rawUserInfo = "{}"
        return identity
    }
}

/// The profile of a user at a provider (OpenID Connect Core 1.0 §5.1), cleaned, for display only.
public struct UserProfile: Hashable, Codable, Sendable {
    public var name: PersonName?
    /// By default ``PersonName/full``.
    public var displayName: String?
    public var photoURL: PhotoURL?
    // The providers of production do not set the following members.
    public var screenName: String?
    public var language: String?
    public var timeZone: String?

    public init(
        name: PersonName? = nil, displayName: String? = nil, photoURL: PhotoURL? = nil, screenName: String? = nil,
        language: String? = nil, timeZone: String? = nil
    ) {
        self.name = name
        self.displayName = displayName ?? name?.full
        self.photoURL = photoURL
        self.screenName = screenName
        self.language = language
        self.timeZone = timeZone
    }

    /// The profile to store after a sign-in, instead of `stored`. A known name is kept, because Apple sends it only
    /// once.
    func updating(_ stored: UserProfile?) -> UserProfile {
        var profile = self
        profile.name = stored?.name ?? name
        profile.displayName = stored?.displayName ?? displayName
        profile.photoURL = photoURL ?? stored?.photoURL
        return profile
    }
}

/// How far a provider's claim about the email address of a user is trusted.
public enum EmailTrust: String, Codable, Comparable, Sendable {
    case none
    /// The user once proved control of the mailbox to the provider. The provider cannot know who controls it now.
    case verified
    /// The provider runs the mailbox, or knows who controls it.
    case authoritative

    public static func < (left: EmailTrust, right: EmailTrust) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .verified: 1
        case .authoritative: 2
        }
    }
}

/// The key of a single-use value, which prevents replay.
public struct ReplayKey: Hashable, Codable, Sendable {
    /// SHA-256 of the value.
    public let hash: [UInt8]
    /// When the value expires. The key does not have to be stored longer.
    public let expiresAt: Instant

    public init(hash: [UInt8], expiresAt: Instant) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}

/// A (provider, subject) pair that is linked to one account. The user has proven it, or a backend has stated it.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// The provider's ID for the user; never empty. Changes only if the app moves to another Apple developer team.
    public internal(set) var subject: String
    public var email: EmailAddress?
    public var emailTrust: EmailTrust
    public var isPrivateEmail: Bool
    public var profile: UserProfile
    /// Apple's `real_user_status`, which Apple sends only once.
    public var realUserStatus: Int?
    /// The client ID of the latest credential.
    public var audience: String?
    /// The issuer of ``subject``, for a generic OpenID provider.
    public var issuer: String?
    /// When the identity was linked to this account. A merge, the undo of a merge, and a backend's move of the identity
    /// to another account set a new time. `nil` until the identity is stored.
    public var linkedAt: Instant?
    /// The user agent of the device that linked the identity; see ``RequestContext/device``.
    public var linkedDevice: String?
    /// Only for Apple. `nil` if Apple never reported a state.
    public var credential: CredentialStatus?
    /// Apple's `transfer_sub`, while the identity moves to another team and does not have its new subject yet.
    public var transferSubject: String?
    /// Whether Apple's relay forwards email to ``email``. `nil` if Apple never reported it.
    public var emailForwarding: Bool?
    /// Whether the provider has disabled the user's account there, so that the identity cannot sign in.
    public var isSuspended = false
    /// The provider has ended all sessions of the user: tokens from before this time do not sign in.
    public var credentialsVoidBefore: Instant?

    public init(
        provider: ProviderID, subject: String, email: EmailAddress? = nil, emailTrust: EmailTrust = .none,
        isPrivateEmail: Bool = false, profile: UserProfile = UserProfile(),
        realUserStatus: Int? = nil, audience: String? = nil, issuer: String? = nil, linkedAt: Instant? = nil,
        linkedDevice: String? = nil, credential: CredentialStatus? = nil, emailForwarding: Bool? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailTrust = emailTrust
        self.isPrivateEmail = isPrivateEmail
        self.profile = profile
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
    /// The values to store for `identity`, based on the stored values `before`. If `identity` has no address, the
    /// stored address is kept.
    public init(_ identity: VerifiedIdentity, before: LinkedIdentity? = nil) {
        let keepsAddress = identity.email == nil
        let credential = CredentialStatus.afterSignIn(previous: before?.credential, issuedAt: identity.issuedAt)
        let isNewConsent = before?.credential?.state == .revoked && credential?.state != .revoked
        let keepsForwarding = (keepsAddress || before?.email == identity.email) && !isNewConsent
        self.init(
            provider: identity.provider, subject: identity.subject,
            email: keepsAddress ? before?.email : identity.email,
            emailTrust: keepsAddress ? before?.emailTrust ?? .none : identity.emailTrust,
            isPrivateEmail: keepsAddress ? before?.isPrivateEmail ?? false : identity.isPrivateEmail,
            profile: identity.profile.updating(before?.profile),
            realUserStatus: before?.realUserStatus ?? identity.realUserStatus, audience: identity.audience,
            issuer: identity.issuer ?? before?.issuer, linkedAt: before?.linkedAt, linkedDevice: before?.linkedDevice,
            credential: credential,
            // It is unknown whether Apple forwards email to a new address, or after a new consent.
            emailForwarding: keepsForwarding ? before?.emailForwarding : nil)
        transferSubject = before?.transferSubject
        isSuspended = before?.isSuspended ?? false
        credentialsVoidBefore = before?.credentialsVoidBefore
    }
}
