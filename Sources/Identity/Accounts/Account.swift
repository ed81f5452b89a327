internal import Encoding

/// One user in one realm (`localId` on the wire is ``id``).
public struct Account: Hashable, Sendable {
    public let id: ID<Account>
    public var email: EmailAddress?
    /// Whether the gateway or a provider has verified the address.
    public var emailIsVerified: Bool
    /// The address for which the operator's blocking function has vouched. It proves no mailbox, and does not count
    /// after the address has changed.
    public var vouchedEmail: EmailAddress?
    /// The account's first address; `nil` unless it was replaced.
    public var initialEmail: EmailAddress?
    public var displayName: String?
    public var photoURL: PhotoURL?
    /// The language that the user has chosen for emails and pages.
    public var language: Language?
    /// The time zone in which pages show times to the user.
    public var timeZone: TimeZoneName?
    /// When the password was set; `nil` if the account has none.
    public var passwordUpdatedAt: Instant?
    public var phoneNumber: PhoneNumber?
    /// When a proof of the number last opened a session of the account, or gave the account the number; `nil` if an
    /// administrator or an import set the number.
    public var phoneProvenAt: Instant?
    /// When the account got the number; `nil` if that is not known.
    public var phoneAddedAt: Instant?
    public var identities: [LinkedIdentity]
    public var customClaims: Claims?
    /// Whether the account was ever signed in with a custom token.
    public var usesCustomTokens: Bool
    /// Whether email links are a sign-in method of the account. They become one when a user opens such a link to sign
    /// in to the account, or to add an address to it.
    public var usesEmailLinks: Bool
    public var secondFactors: SecondFactors
    /// In the order in which they were added.
    public var passkeys: [Passkey]
    public var isDisabled: Bool
    public var createdAt: Instant
    public var lastSignInAt: Instant?
    /// When a stored session was last opened or refreshed.
    public var lastRefreshAt: Instant?
    /// Backends that verify tokens themselves reject the tokens of logins before this second.
    public var validSince: Instant
    /// A counter. A session is valid only in the generation in which it was opened. A new generation therefore ends
    /// every session in one step, including the sessions of sign-ins in progress.
    public var generation: Int64

    public init(
        id: ID<Account>, email: EmailAddress? = nil, emailIsVerified: Bool = false,
        initialEmail: EmailAddress? = nil, displayName: String? = nil,
        photoURL: PhotoURL? = nil, passwordUpdatedAt: Instant? = nil, phoneNumber: PhoneNumber? = nil,
        identities: [LinkedIdentity] = [], customClaims: Claims? = nil, usesCustomTokens: Bool = false,
        usesEmailLinks: Bool = false, secondFactors: SecondFactors = .none, passkeys: [Passkey] = [],
        isDisabled: Bool = false, createdAt: Instant,
        lastSignInAt: Instant? = nil,
        lastRefreshAt: Instant? = nil, validSince: Instant, generation: Int64 = 1
    ) {
        self.id = id
        self.email = email
        self.emailIsVerified = emailIsVerified
        self.initialEmail = initialEmail
        self.displayName = displayName
        self.photoURL = photoURL
        self.passwordUpdatedAt = passwordUpdatedAt
        self.phoneNumber = phoneNumber
        self.identities = identities
        self.customClaims = customClaims
        self.usesCustomTokens = usesCustomTokens
        self.usesEmailLinks = usesEmailLinks
        self.secondFactors = secondFactors
        self.passkeys = passkeys
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.lastRefreshAt = lastRefreshAt
        self.validSince = validSince
        self.generation = generation
    }
}

extension Account {
    /// Whether tokens and look-ups state that the address is verified: it is, or the operator has vouched for it. What
    /// depends on a proof of the mailbox reads ``emailIsVerified``.
    public var statesVerifiedEmail: Bool { emailIsVerified || email != nil && vouchedEmail == email }

    public var hasPassword: Bool { passwordUpdatedAt != nil }

    /// Whether the account has no credential: no identity, no email address (and therefore no password), no phone
    /// number, no passkey, and no sign-in with custom tokens.
    public var isAnonymous: Bool {
        identities.isEmpty && email == nil && phoneNumber == nil && passkeys.isEmpty && !usesCustomTokens
    }

    /// The wire's `signinMethods`: password, email link and the providers of the identities. Phone numbers, passkeys
    /// and custom tokens are not listed.
    public var signInMethods: [ProviderID] {
        (hasPassword ? [.password] : []) + (usesEmailLinks ? [.emailLink] : []) + identities.map(\.provider)
    }
}

/// New values for members of an account; `nil` leaves a member as it is.
///
/// Changes by clients, administrators, email action codes and merges all have this form.
public struct AccountUpdate: Hashable, Sendable {
    /// A member's new value.
    public enum Value<Content: Hashable & Sendable>: Hashable, Sendable {
        case set(Content)
        case remove

        /// - Parameter content: `nil` removes the member.
        public init(_ content: Content?) {
            self = content.map { .set($0) } ?? .remove
        }

        /// `nil` if the update removes the member.
        public var content: Content? {
            if case .set(let content) = self { content } else { nil }
        }

        public func map<Mapped>(_ transform: (Content) -> Mapped) -> Value<Mapped> {
            Value<Mapped>(content.map(transform))
        }
    }

    /// The members that users describe themselves with.
    public struct Profile: Hashable, Sendable {
        public var displayName: Value<String>?
        public var photoURL: Value<PhotoURL>?
        public var language: Value<Language>?
        public var timeZone: Value<TimeZoneName>?

        public init() {}

        /// Removes every member.
        public static let removal: Profile = {
            var profile = Profile()
            (profile.displayName, profile.photoURL) = (.remove, .remove)
            (profile.language, profile.timeZone) = (.remove, .remove)
            return profile
        }()
    }

    public var profile = Profile()
    /// A new address is unverified, unless ``emailIsVerified`` sets the flag.
    public var email: Value<EmailAddress>?
    public var emailIsVerified: Bool?
    /// See ``Account/vouchedEmail``. A change of the address removes it.
    public var vouchedEmail: Value<EmailAddress>?
    /// Removes ``Account/initialEmail``. True for a reclaim: a user who proves an address takes over the account whose
    /// creator never verified this address. The initial address may belong to that creator.
    public var removesInitialEmail = false
    /// A new number is unproven, unless ``phoneProvenAt`` says otherwise.
    public var phoneNumber: Value<PhoneNumber>?
    public var phoneProvenAt: Value<Instant>?
    public var phoneAddedAt: Value<Instant>?
    public var passwordHash: Value<String>?
    public var usesEmailLinks: Bool?
    public var customClaims: Claims?
    public var isDisabled: Bool?
    public var validSince: Instant?
    public var createdAt: Instant?
    public var lastSignInAt: Instant?
    /// Ends all sessions of the account. An ended session cannot be refreshed, and the gateway rejects its ID tokens.
    public var endsSessions = false

    public init() {}
}

extension AccountUpdate {
    /// Whether an administrator's update ends the sessions of `account`: the update enables the account, changes its
    /// email address, sets or removes its password, or sets ``validSince``. Disabling an account ends no session,
    /// because the gateway rejects each token of a disabled account with the code `USER_DISABLED`.
    public func endsSessions(of account: Account) -> Bool {
        let changesEmail = email.map { $0 != AccountUpdate.Value(account.email) } ?? false
        let changesPassword = passwordHash.map { $0 != .remove || account.hasPassword } ?? false
        let enables = isDisabled == false && account.isDisabled
        return enables || changesEmail || changesPassword || validSince != nil
    }

    /// Whether an administrator's update determines the owner of the account: it sets or removes the email address or
    /// the password, or sets ``validSince``. The store then invalidates the links in earlier emails, because an
    /// attacker may have one of them. Links that undo a merge stay valid.
    public var decidesOwner: Bool { email != nil || passwordHash != nil || validSince != nil }

    /// The names of the members that an administrator's update contains, except ``isDisabled``.
    var fields: [String] {
        let named: [(String, Bool)] = [
            ("displayName", profile.displayName != nil), ("photoUrl", profile.photoURL != nil),
            ("language", profile.language != nil), ("timeZone", profile.timeZone != nil),
            ("email", email != nil), ("emailVerified", emailIsVerified != nil || vouchedEmail != nil),
            ("phoneNumber", phoneNumber != nil),
            ("password", passwordHash != nil), ("customAttributes", customClaims != nil),
            ("validSince", validSince != nil),
            ("createdAt", createdAt != nil), ("lastLoginAt", lastSignInAt != nil),
        ]
        return named.filter(\.1).map(\.0)
    }
}

extension Account {
    /// Sets the members that `profile` changes.
    mutating func apply(_ profile: AccountUpdate.Profile) {
        if let displayName = profile.displayName { self.displayName = displayName.content }
        if let photoURL = profile.photoURL { self.photoURL = photoURL.content }
        if let language = profile.language { self.language = language.content }
        if let timeZone = profile.timeZone { self.timeZone = timeZone.content }
    }
}

extension Account {
    /// The identity of a provider. An account has at most one.
    public func identity(of provider: ProviderID) -> LinkedIdentity? {
        identities.first { $0.provider == provider }
    }

    public func identity(_ provider: ProviderID, subject: String) -> LinkedIdentity? {
        identity(of: provider).flatMap { $0.subject.isExactly(subject) ? $0 : nil }
    }

    /// A new account for `identity`.
    ///
    /// - Parameter copiesEmail: whether the account gets the identity's address.
    public init(_ id: ID<Account>, for identity: LinkedIdentity, copiesEmail: Bool, at now: Instant) {
        let email = copiesEmail ? identity.email : nil
        self.init(
            id: id, email: email, emailIsVerified: email != nil && identity.emailTrust == .authoritative,
            displayName: identity.profile.displayName, photoURL: identity.profile.photoURL, identities: [identity],
            createdAt: now, lastSignInAt: now, lastRefreshAt: now, validSince: Instant(seconds: now.seconds))
    }

    /// The account after a sign-in with an identity that the account already has.
    public func signedIn(with identity: LinkedIdentity, at now: Instant) -> Account {
        var account = self
        account.identities = identities.map {
            $0.provider == identity.provider && $0.subject.isExactly(identity.subject) ? identity : $0
        }
        account.displayName = displayName ?? identity.profile.displayName
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
        /// Apple has not reported anything, or the team or the private key has changed after the latest report.
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
    /// The status after a sign-in with a token that Apple issued at `issuedAt`. A token that was issued before the
    /// latest report changes nothing. An unchanged state keeps its time, so that a sign-in does not write a row only to
    /// update the time.
    ///
    /// - Parameters:
    ///   - previous: the status before the sign-in.
    ///   - issuedAt: `nil` leaves the status as it is.
    static func afterSignIn(previous: CredentialStatus?, issuedAt: Instant?) -> CredentialStatus? {
        guard let issuedAt else { return previous }
        guard let previous else { return CredentialStatus(.authorized, at: issuedAt) }
        return previous.state == .authorized || previous.checkedAt >= issuedAt
            ? previous : CredentialStatus(.authorized, at: issuedAt)
    }
}
