/// A sign-in on one device. It has a chain of refresh tokens; only the counter of the newest one is stored.
public struct Session: Hashable, Sendable {
    /// A UUID in lower-case text that cannot be guessed; the token's `sid`.
    public let id: ID<Session>
    public let account: ID<Account>
    /// The account's generation when the session began. The account gets a new generation when all its sessions end, so
    /// a session of an earlier generation has ended.
    public internal(set) var generation: Int64
    public let method: ProviderID
    /// When the user last authenticated: the token's `auth_time`.
    public internal(set) var authenticatedAt: Instant
    /// The claims of the custom token that opened the session.
    public var claims: Claims?
    /// `nil` if the session was opened without a second factor.
    public let secondFactor: SessionFactor?
    /// The passkey with which the session was opened. It counts as two factors as long as the account has it, because
    /// every sign-in with a passkey verifies the user.
    public let passkey: ID<Passkey>?
    /// See ``RequestContext/device``.
    public let device: String?
    /// `nil` for a session of the user.
    public var support: SupportAccess?

    public init(
        id: ID<Session>, account: ID<Account>, generation: Int64, method: ProviderID, authenticatedAt: Instant,
        claims: Claims? = nil, secondFactor: SessionFactor? = nil, passkey: ID<Passkey>? = nil,
        device: String?
    ) {
        self.id = id
        self.account = account
        self.generation = generation
        self.method = method
        self.authenticatedAt = authenticatedAt
        self.claims = claims
        self.secondFactor = secondFactor
        self.passkey = passkey
        self.device = device
    }
}

extension Session {
    /// Whether the session has a second factor that still counts: see ``SecondFactors/confirm(_:authenticatedAt:)``, or
    /// the passkey that opened the session.
    ///
    /// - Parameter account: the account of the session.
    func hasSecondFactor(of account: Account) -> Bool {
        if let passkey { return account.passkey(passkey) != nil }
        return account.secondFactors.confirm(secondFactor, authenticatedAt: authenticatedAt)
    }

    /// Whether the session may only be used to enrol a second factor: the policy demands second factors of every
    /// account, and the session has none. Exempt are sessions of guests, as long as the account is anonymous, and those
    /// that the operator's backend vouches for.
    ///
    /// - Parameter account: the account of the session.
    public func isRestricted(by policy: Policy, of account: Account) -> Bool {
        policy.secondFactors.state == .mandatory && !hasSecondFactor(of: account) && method != .custom
            && !(method == .anonymous && account.isAnonymous)
    }
}

/// A session to open. A store opens no other session, and only ``SignInCompletion`` makes one: `LayeringTests` finds
/// every other use of the initializer.
public struct NewSession: Hashable, Sendable {
    public private(set) var session: Session
    /// Later than ``Session/authenticatedAt`` if the user does not authenticate again.
    public let openedAt: Instant
    /// The hash of the network in which the session is opened, which becomes a known network; see ``NetworkHashing``.
    /// `nil` if the network does not become known.
    public let networkHash: [UInt8]?
    /// When Apple issued the credential that opens the session; `nil` for other methods.
    public let credentialIssuedAt: Instant?
    public let app: SessionApp
    /// The maximum number of the account's active sessions, including this one; see ``Policy/sessionLimit``. 0 means no
    /// limit; also 0 for a session that is the account's only one.
    public let sessionLimit: Int
    /// The second factor that the sign-in consumes; `nil` if it needs none, and for a caller's change.
    public let secondFactorUse: SecondFactorUse?
    /// How to record the events of a sign-in; `nil` if no listener wants them, and for a caller's change.
    public let recording: EventRecording?
    /// `nil` if no blocking function was called.
    public let hookDecision: HookDecision?
    /// The code of the sign-in page that the transaction marks as used; `nil` unless it links an identity or merges
    /// accounts.
    public let exchangedCode: ExchangedCode?

    init(
        toOpen session: Session, at openedAt: Instant, networkHash: [UInt8]?, credentialIssuedAt: Instant?,
        app: SessionApp = .unknown, sessionLimit: Int, secondFactorUse: SecondFactorUse? = nil,
        recording: EventRecording? = nil, hookDecision: HookDecision? = nil, exchangedCode: ExchangedCode? = nil
    ) {
        self.session = session
        self.app = app
        self.openedAt = openedAt
        self.networkHash = networkHash
        self.credentialIssuedAt = credentialIssuedAt
        self.sessionLimit = sessionLimit
        self.secondFactorUse = secondFactorUse
        self.recording = recording
        self.hookDecision = hookDecision
        self.exchangedCode = exchangedCode
    }
}

extension NewSession {
    public var id: ID<Session> { session.id }

    public var account: ID<Account> { session.account }

    /// Whether the transaction of the sign-in does more than open the session.
    public var hasEffects: Bool { recording != nil || hookDecision != nil || exchangedCode != nil }

    /// Whether a blocking function has disabled the account: the store keeps the account, but not this session.
    public var isRefused: Bool { hookDecision?.change?.disables ?? false }

    /// The events of a sign-in that opens this session.
    public func events(isNewAccount: Bool) -> [AccountEvent] {
        let signUp = isNewAccount ? [AccountEvent(.accountSignedUp(by: session.method), of: account)] : []
        return isRefused ? signUp : signUp + [AccountEvent(.sessionOpened(id, by: session.method), of: account)]
    }

    /// The limit that the store enforces when it opens this session; 0 if it does not count the account's sessions.
    ///
    /// Counting makes a sign-in a few percent slower. Therefore, with a limit of 100 or more, only one of sixteen
    /// sign-ins counts the sessions, and then ends all that exceed the limit. The random ID decides which one.
    public var limitToEnforce: Int {
        sessionLimit < 100 || id.rawValue.utf8.first == UInt8(ascii: "0") ? sessionLimit : 0
    }

    /// Returns the same session with the generation of `account`, which the store has read or created.
    public func withGeneration(of account: Account) -> NewSession {
        var copy = self
        copy.session.generation = account.generation
        return copy
    }

    /// Returns the same session with an authentication no earlier than ``Account/validSince``. Admin SDKs reject ID
    /// tokens whose `auth_time` is earlier.
    public func validForBackends(of account: Account) -> NewSession {
        var copy = self
        copy.session.authenticatedAt = max(session.authenticatedAt, account.validSince)
        return copy
    }
}

/// The app that opens a session. It is stored for lists of sessions only.
public enum SessionApp: Hashable, Sendable {
    /// The request has neither an API key nor the sign-in page of an app.
    case unknown
    case known(ID<App>)
    /// The app of the session that is replaced, for a change without an app.
    case sameAs(ID<Session>)

    init(_ app: ID<App>?) { self = app.map(SessionApp.known) ?? .unknown }
}

/// A session that a store has opened, with its account after the sign-in.
public struct OpenedSession: Sendable {
    public let account: Account
    public let session: Session
    public let isNewAccount: Bool
    /// The sign-in before this one, if the sign-in method did not read the account before; `nil` if there is none.
    public let formerSignInAt: Instant?

    public init(
        _ new: NewSession, of account: Account, isNewAccount: Bool = false, formerSignInAt: Instant? = nil
    ) {
        self.account = account
        session = new.session
        self.isNewAccount = isNewAccount
        self.formerSignInAt = formerSignInAt
    }
}

/// The contents of a refresh token whose MAC was verified.
public struct RefreshTokenContents: Hashable, Sendable {
    public let session: ID<Session>
    /// The token's position in its session's chain, from 0.
    public let counter: Int64

    public init(session: ID<Session>, counter: Int64) {
        self.session = session
        self.counter = counter
    }
}

/// The contents of an ID token of the gateway whose signature was verified.
public struct IDTokenContents: Hashable, Sendable {
    public let account: ID<Account>
    public let session: ID<Session>
    /// Whether the token is only for enrolling a second factor; see ``Session/isRestricted(by:of:)``.
    public let isRestricted: Bool

    public init(account: ID<Account>, session: ID<Session>, isRestricted: Bool = false) {
        self.account = account
        self.session = session
        self.isRestricted = isRestricted
    }
}

/// Issues and verifies the gateway's own tokens. Verification throws ``TokenRefusal``.
public protocol TokenAuthority: Sendable {
    func idToken(for account: Account, session: Session, in realm: Realm, at now: Instant) async throws -> String
    func refreshToken(_ contents: RefreshTokenContents, in realm: Realm) async throws -> String
    /// Returns a token with the claims of `idToken`, but with other times and another issuer, so that the two kinds of
    /// token cannot be confused. An authority that accepts unsigned ID tokens takes the claims from `caller` instead.
    ///
    /// - Parameter caller: the account and the session of the ID token.
    func sessionCookie(
        from idToken: String, of caller: Caller, lasting lifetime: Duration, in realm: Realm, at now: Instant
    ) async throws -> String
    /// Returns the token that authenticates the gateway to a blocking function. It is not an ID token.
    func hookToken(_ payload: [UInt8], in realm: Realm, at now: Instant) async throws -> String
    func read(idToken: String, in realm: Realm, at now: Instant) async throws -> IDTokenContents
    func read(refreshToken: String, in realm: Realm) async throws -> RefreshTokenContents
}

/// A session that was opened or refreshed, with the tokens for its device.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: Session
    /// Whether the sign-in created the account.
    public var isNewAccount: Bool
    public let idToken: String
    public let refreshToken: String
    /// The lifetime of the ID token.
    public let expiresIn: Duration
    /// Whether the session may only be used to enrol a second factor; see ``Session/isRestricted(by:of:)``.
    public let isRestricted: Bool
}

extension TokenAuthority {
    /// Issues the tokens of a session that was just opened or refreshed. Only ``SignInCompletion`` and ``TokenRefresh``
    /// call this; `LayeringTests` enforces it.
    ///
    /// - Parameter counter: the position of the refresh token in the session's chain.
    func issueTokenPair(
        for session: Session, of account: Account, isNewAccount: Bool = false, counter: Int64 = 0, in realm: Realm,
        at now: Instant
    ) async throws -> SignedIn {
        SignedIn(
            account: account, session: session, isNewAccount: isNewAccount,
            idToken: try await idToken(for: account, session: session, in: realm, at: now),
            refreshToken: try await refreshToken(
                RefreshTokenContents(session: session.id, counter: counter), in: realm),
            expiresIn: session.idTokenLifetime(by: realm.policy, at: now),
            isRestricted: session.isRestricted(by: realm.policy, of: account))
    }
}
