/// The rules of a project. A policy starts from a ``Profile``; each member can be changed separately.
public struct Policy: Hashable, Sendable {
    /// A named set of defaults.
    public enum Profile: String, Sendable, CaseIterable {
        /// The gateway's own defaults, which are safer where Firebase's defaults are known to cause harm.
        case sekisho
        /// The behaviour of Firebase in production, as far as it is known.
        case firebase
    }

    /// Accounts with email and password can be created and used.
    public var allowsPasswords: Bool
    /// Anonymous accounts can be created.
    public var allowsAnonymous: Bool
    /// A link sent to a mailbox signs in the user who opens it.
    public var allowsEmailLinks: Bool
    /// A code sent to a telephone number signs in the user who enters it.
    public var allowsPhoneNumbers: Bool
    /// An account that has another sign-in method and has not proven its telephone number for this long is not signed
    /// in to by the number alone, because the number may have been assigned to another person; 0 for no limit.
    public var recycledNumberAge: Duration
    /// Clients can create accounts. Administrators, and custom tokens of their backends, always can.
    public var allowsSignUp: Bool
    /// Clients can delete their own accounts, also by a merge. Administrators always can.
    public var allowsDeletion: Bool
    /// An identity that signs in for the first time always gets a new account, even if another account has its email
    /// address. The address is stored with the identity only.
    public var allowsDuplicateEmails: Bool
    /// An address that Google has verified is trusted in every domain.
    public var trustsGoogleForEveryDomain: Bool
    /// Apple's identity tokens must have a nonce.
    public var requiresNonce: Bool
    /// The last sign-in method is removed only if the request confirms it.
    public var protectsLastSignInMethod: Bool
    /// New passwords must meet the requirements below. Otherwise, only Firebase's minimum length
    /// (``PasswordPolicy/leastMinimumLength``) applies.
    public var enforcesPasswordRules: Bool
    /// With ``enforcesPasswordRules``: the requirements also apply to the password of a sign-in, except whether it was
    /// in a data breach.
    public var enforcesPasswordRulesAtSignIn: Bool
    /// In UTF-16 code units, as Firebase's clients count characters; 6 to 64.
    public var minimumPasswordLength: Int
    /// Passwords must have at least one ASCII character of each of these classes.
    public var requiresLowercase: Bool
    public var requiresUppercase: Bool
    public var requiresDigit: Bool
    public var requiresSymbol: Bool
    /// Passwords that were in a data breach are rejected.
    public var rejectsBreachedPasswords: Bool
    /// A password reset by email unlinks all identities.
    public var resetUnlinksIdentities: Bool
    /// Lifetime of codes that verify or change an address.
    public var verificationLifetime: Duration
    /// Lifetime of codes that reset a password.
    public var resetLifetime: Duration
    /// The maximum number of wrong passwords for one address from one client network (see ``ClientNetwork``) within
    /// ``Policy/passwordWindow``. 0 disables this limit and also ``Policy/addressFailureLimit``.
    public var passwordFailureLimit: Int
    /// The maximum number of sign-ups from one client network within ``Policy/signUpWindow``, including those whose
    /// address was taken, and other responses that reveal a taken address; 0 means no limit.
    public var signUpLimit: Int
    /// The maximum number of emails of one purpose to one address, requested from one IPv4 /24 or IPv6 /48 within
    /// ``Policy/emailWindow``. All networks together may request twice as many. 0 means no limit.
    ///
    /// A project and its tenants share these limits. However, in each of these realms, the first password reset email
    /// to an address within the window is sent even if the limits are reached.
    public var emailLimit: Int
    /// How long an unused anonymous account is kept; 0 means forever.
    public var anonymousLifetime: Duration
    /// How long audit events are kept; 0 means forever.
    public var auditRetention: Duration
    /// Email enumeration protection: responses do not reveal which addresses have accounts.
    public var emailEnumerationProtection: Bool
    /// Each use of a refresh token returns a new one.
    public var rotatesRefreshTokens: Bool
    /// How long a refresh token remains valid after its successor was used; 0 to 300 s.
    public var refreshTokenGracePeriod: Duration
    /// The maximum age of a login that still allows a change of address or credentials, a merge, or the deletion of the
    /// account.
    public var recentLoginMaxAge: Duration
    /// If Apple replaces a user's relay address, an account with the former relay address gets the new one. The account
    /// keeps its address if it has a password or uses email links, or if another account has the new address.
    public var followsRelayAddress: Bool
    /// Notices about an account also go to an address that nobody has verified, without a link, and at most one of each
    /// kind per address and day.
    public var notifiesUnverifiedAddresses: Bool
    /// A user gets an email when an administrator gets ``SupportAccess`` to the account.
    public var notifiesSupportAccess: Bool
    /// Linking and unlinking require a recent login, like other changes of credentials.
    public var requiresRecentLoginToLink: Bool
    /// Lifetime of ID tokens.
    public var idTokenLifetime: Duration
    /// The maximum number of active sessions of one account. A sign-in that exceeds it ends the session that was
    /// unused for the longest time; see ``Session/limitToEnforce``. 0 means no limit.
    public var sessionLimit: Int
    /// A name or an email address that the app does not request from the provider is discarded before it is stored.
    public var dropsUnrequestedProfile: Bool
    /// If an app lists its callers (see ``AllowedCallers``), its API keys are accepted only with a header that states
    /// one of the callers.
    public var requiresCallerHeader: Bool
    /// An app with a social provider has to show Apple on every platform. Otherwise the rule (App Review guideline 4.8)
    /// applies only to apps for Apple's platforms; see ``LoginServices``.
    public var requiresAppleOnEveryPlatform: Bool

    /// What happens to a child's account when a parent withdraws consent to the app (the App Store's
    /// `RESCIND_CONSENT`).
    public var rescindedConsent: RescissionEffect

    /// The second factors of accounts. A tenant has settings of its own.
    public var secondFactors: SecondFactorPolicy

    public init(_ profile: Profile) {
        secondFactors = SecondFactorPolicy()
        allowsPasswords = true
        allowsAnonymous = true
        allowsEmailLinks = true
        allowsPhoneNumbers = false
        allowsSignUp = true
        allowsDeletion = true
        allowsDuplicateEmails = false
        enforcesPasswordRules = true
        enforcesPasswordRulesAtSignIn = false
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
        notifiesSupportAccess = true
        idTokenLifetime = .seconds(3600)
        dropsUnrequestedProfile = false
        requiresCallerHeader = false
        requiresAppleOnEveryPlatform = true
        rescindedConsent = .endSessions
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
            followsRelayAddress = true
            sessionLimit = 500
            notifiesUnverifiedAddresses = true
            recycledNumberAge = .seconds(90 * 86_400)
        case .firebase:
            trustsGoogleForEveryDomain = true
            requiresNonce = false
            protectsLastSignInMethod = false
            minimumPasswordLength = 6
            rotatesRefreshTokens = false
            rejectsBreachedPasswords = false
            resetUnlinksIdentities = true
            requiresRecentLoginToLink = false
            followsRelayAddress = false
            sessionLimit = 0
            notifiesUnverifiedAddresses = false
            recycledNumberAge = .zero
        }
    }

    /// The anonymous lifetime that Firebase's member `autodeleteAnonymousUsers` stands for.
    public static let firebaseAnonymousLifetime: Duration = .seconds(30 * 86_400)
    /// The length of the window of ``passwordFailureLimit``.
    public static let passwordWindow: Duration = .seconds(600)
    /// The maximum number of wrong passwords for one address from all networks together within
    /// ``addressFailureWindow``; no limit if ``passwordFailureLimit`` is 0. After that, known networks of the account
    /// (see ``knownNetworkLifetime``) can continue. All other networks together get one attempt per
    /// ``unknownNetworkWindow``.
    public static let addressFailureLimit = 100
    public static let addressFailureWindow: Duration = .seconds(3600)
    public static let unknownNetworkWindow: Duration = .seconds(60)
    /// How long a network remains a known network of an account after the latest sign-in or password reset there.
    public static let knownNetworkLifetime: Duration = .seconds(30 * 86_400)
    public static let signUpWindow: Duration = .seconds(3600)
    /// Not longer than ``signInLinkLifetime``. If an attacker exhausts the limit of an address, its owner can still use
    /// a sign-in link that was sent within the window.
    public static let emailWindow: Duration = .seconds(900)
    /// The maximum number of credential changes that clients make to one account within ``credentialChangeWindow``.
    public static let credentialChangeLimit = 20
    public static let credentialChangeWindow: Duration = .seconds(600)
    /// The maximum number of exports of one account within ``exportWindow``.
    public static let exportLimit = 3
    public static let exportWindow: Duration = .seconds(86_400)
    /// The maximum number of sign-ins with one identity, while no account has it, within ``firstSignInWindow``.
    public static let firstSignInLimit = 20
    public static let firstSignInWindow: Duration = .seconds(600)
    /// The maximum number of nonces that the gateway issues to one IPv4 address or IPv6 /64 within ``nonceWindow``. A
    /// /24 or /56 gets four times as many, a /48 sixteen times. The 8000 nonces of a /24 are enough for the sign-ins
    /// behind a large NAT.
    public static let nonceLimit = 2000
    public static let nonceWindow: Duration = .seconds(600)
    /// The maximum number of requests for sign-ins in the browser and of server auth codes, from one IPv4 address or
    /// IPv6 /64 within ``authorizationFlowWindow``. A sign-in in the browser has two requests: its start and the
    /// provider's response. A sign-in with Apple has three, because a redirect follows Apple's form.
    public static let authorizationFlowLimit = 1000
    public static let authorizationFlowWindow: Duration = .seconds(600)
    /// The maximum number of rejected notifications from one IPv4 address or IPv6 /64 to the endpoint for Apple within
    /// ``rejectedNotificationWindow``. Accepted notifications are not counted.
    public static let rejectedNotificationLimit = 100
    public static let rejectedNotificationWindow: Duration = .seconds(600)
    /// Lifetime of sign-in links.
    public static let signInLinkLifetime: Duration = .seconds(900)
    /// Lifetime of codes that restore the former address of an account.
    public static let recoveryLifetime: Duration = .seconds(72 * 3600)
    /// Lifetime of codes that remove a sign-in method.
    public static let removalLinkLifetime: Duration = .seconds(7 * 86_400)
}

extension Policy {
    /// Whether unused anonymous accounts are deleted. Setting it to `true` sets ``anonymousLifetime`` to Firebase's 30
    /// days, unless the policy has a lifetime.
    public var deletesUnusedAnonymousAccounts: Bool {
        get { anonymousLifetime > .zero }
        set {
            guard newValue != deletesUnusedAnonymousAccounts else { return }
            anonymousLifetime = newValue ? Self.firebaseAnonymousLifetime : .zero
        }
    }
}
