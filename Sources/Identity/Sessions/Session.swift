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

/// A session as its owner sees it in a list.
public struct ListedSession: Hashable, Sendable {
    public let session: Session
    /// When the session's tokens were last refreshed; before the first refresh, when the session began.
    public let lastUsedAt: Instant

    public init(session: Session, lastUsedAt: Instant) {
        self.session = session
        self.lastUsedAt = lastUsedAt
    }
}

/// The account that an ID token names, and its session.
public struct FoundSession: Hashable, Sendable {
    public let account: Account
    /// `nil` if the session has ended.
    public let session: Session?

    public init(account: Account, session: Session?) {
        self.account = account
        self.session = session
    }
}
