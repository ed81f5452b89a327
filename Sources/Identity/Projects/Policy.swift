/// What a project allows and asks for. It starts from a ``Profile``; every member can be set on its own.
public struct Policy: Hashable, Sendable {
    /// A named set of defaults.
    public enum Profile: String, Sendable, CaseIterable {
        /// Ours: safer where Firebase's own defaults are known to hurt.
        case sekisho
        /// Firebase's production defaults, exactly.
        case firebase
    }

    /// Accounts with e-mail and password may be made and used.
    public var allowsPasswords: Bool
    /// Accounts without any credential may be made.
    public var allowsAnonymous: Bool
    /// A link sent to a mailbox signs in whoever opens it.
    public var allowsEmailLinks: Bool
    /// An identity whose address an account holds already makes an account of its own, without an address.
    public var allowsDuplicateEmails: Bool
    /// An address that Google has verified counts as proven, whatever its domain.
    public var trustsGoogleForEveryDomain: Bool
    /// Apple's identity tokens have to carry a nonce.
    public var requiresNonce: Bool
    /// The last way to sign in is removed only by a request that says so.
    public var protectsLastSignInMethod: Bool
    /// In UTF-16 code units, as Firebase's clients count characters; 6 to 64.
    public var minimumPasswordLength: Int
    /// Passwords have to hold one of each of these.
    public var requiresLowercase: Bool
    public var requiresUppercase: Bool
    public var requiresDigit: Bool
    public var requiresSymbol: Bool
    /// Passwords that have been in a data breach are refused.
    public var rejectsBreachedPasswords: Bool
    /// A reset of the password by mail unlinks identities of other providers.
    public var resetUnlinksIdentities: Bool
    /// How long a code can be used that verifies or changes an address.
    public var verificationLifetime: Duration
    /// How long a code can be used that resets a password.
    public var resetLifetime: Duration
    /// Wrong passwords for one address from one place within ``Policy/passwordWindow``; 0 is no limit. Of places, here and
    /// below, see ``ClientNetwork``.
    public var passwordFailureLimit: Int
    /// Accounts made from one place within ``Policy/signUpWindow``, and addresses found taken; 0 is no limit.
    public var signUpLimit: Int
    /// Mail of one purpose to one address that one place may ask for within ``Policy/emailWindow``, and all places together
    /// twice; 0 is no limit.
    public var emailLimit: Int
    /// How long an anonymous account is kept that nobody uses; 0 is for ever.
    public var anonymousLifetime: Duration
    /// How long lines of the audit trail are kept; 0 is for ever.
    public var auditRetention: Duration
    /// E-mail enumeration protection: answers do not tell who has an account.
    public var emailEnumerationProtection: Bool
    /// Each use of a refresh token gives a new one.
    public var rotatesRefreshTokens: Bool
    /// How long a refresh token still works after its successor was used; 0 to 300 s.
    public var refreshTokenGracePeriod: Duration
    /// How old a login may be for a change of credentials.
    public var recentLoginMaxAge: Duration
    /// Linking and unlinking ask for a recent login, as other changes of credentials do.
    public var requiresRecentLoginToLink: Bool
    /// How long an ID token is good for.
    public var idTokenLifetime: Duration

    public init(_ profile: Profile) {
        allowsPasswords = true
        allowsAnonymous = true
        allowsEmailLinks = true
        allowsDuplicateEmails = false
        requiresLowercase = false
        requiresUppercase = false
        requiresDigit = false
        requiresSymbol = false
        verificationLifetime = .seconds(86_400)
        resetLifetime = .seconds(3600)
        passwordFailureLimit = 10
        signUpLimit = 100
        emailLimit = 5
        anonymousLifetime = .zero
        auditRetention = .seconds(400 * 86_400)
        emailEnumerationProtection = true
        refreshTokenGracePeriod = .seconds(30)
        recentLoginMaxAge = .seconds(300)
        idTokenLifetime = .seconds(3600)
        switch profile {
        case .sekisho:
            trustsGoogleForEveryDomain = false
            requiresNonce = true
            protectsLastSignInMethod = true
            minimumPasswordLength = 8
            rotatesRefreshTokens = true
            rejectsBreachedPasswords = true
            resetUnlinksIdentities = false
            requiresRecentLoginToLink = true
        case .firebase:
            trustsGoogleForEveryDomain = true
            requiresNonce = false
            protectsLastSignInMethod = false
            minimumPasswordLength = 6
            rotatesRefreshTokens = false
            rejectsBreachedPasswords = false
            resetUnlinksIdentities = true
            requiresRecentLoginToLink = false
        }
    }

    /// Firebase's own windows are not published; these are short enough to wait for, and no longer than the code of a
    /// sign-in link lives, so that whoever uses up somebody's mail leaves a link in the mailbox that works.
    public static let passwordWindow: Duration = .seconds(600)
    /// Wrong passwords for one address from all places together within ``addressFailureWindow``; after that only places
    /// where its account had a session go on.
    public static let addressFailureLimit = 100
    public static let addressFailureWindow: Duration = .seconds(3600)
    /// All other places share one attempt in each of these.
    public static let unknownPlaceWindow: Duration = .seconds(60)
    /// How long an account knows a place where it had a session.
    public static let placeLifetime: Duration = .seconds(30 * 86_400)
    public static let signUpWindow: Duration = .seconds(3600)
    public static let emailWindow: Duration = .seconds(900)
    /// How many changes of its credentials the clients of one account may make within ``credentialChangeWindow``.
    public static let credentialChangeLimit = 20
    public static let credentialChangeWindow: Duration = .seconds(600)
    /// Nonces issued to one IPv4 address or IPv6 /64 within ``nonceWindow``. A /24 or /56 gets four times as many: 8000 in
    /// ten minutes are enough for the sign-ins behind a large NAT.
    public static let nonceLimit = 2000
    public static let nonceWindow: Duration = .seconds(600)
    /// How long a code can be used that signs in.
    public static let signInLinkLifetime: Duration = .seconds(900)
    /// How long a code can be used that goes back to the address before.
    public static let recoveryLifetime: Duration = .seconds(72 * 3600)
    /// How long a code can be used that removes a sign-in method.
    public static let removalLinkLifetime: Duration = .seconds(7 * 86_400)
    /// How long ago an identity was linked that the confirmation of a password reset offers to remove.
    static let recentlyLinked: Duration = .seconds(30 * 86_400)
}
