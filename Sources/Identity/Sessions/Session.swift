/// One sign-in on one device. It owns a chain of refresh tokens, of which only a counter is kept.
public struct Session: Hashable, Sendable {
    /// A random UUID in lower-case text; the token's `sid`.
    public let id: ID<Session>
    public let account: ID<Account>
    /// The account's generation when the session began. The session has ended if the account's generation differs.
    public let generation: Int64
    public let method: ProviderID
    /// When the user last authenticated: the token's `auth_time`.
    public let authenticatedAt: Instant
    /// The claims of the custom token that opened the session.
    public let claims: Claims?
    /// See ``RequestContext/device``.
    public let device: String?
    /// The hash of the network in which the session is opened, which becomes a known network; see ``NetworkHashing``.
    /// `nil` if the session was opened before.
    public let networkHash: [UInt8]?

    public init(
        id: ID<Session>, account: ID<Account>, generation: Int64, method: ProviderID, authenticatedAt: Instant,
        claims: Claims? = nil, device: String?, networkHash: [UInt8]?
    ) {
        self.id = id
        self.account = account
        self.generation = generation
        self.method = method
        self.authenticatedAt = authenticatedAt
        self.claims = claims
        self.device = device
        self.networkHash = networkHash
    }
}

/// The contents of a refresh token whose MAC was verified.
public struct RefreshClaim: Hashable, Sendable {
    public let session: ID<Session>
    /// The token's position in its session's chain, from 0.
    public let counter: Int64

    public init(session: ID<Session>, counter: Int64) {
        self.session = session
        self.counter = counter
    }
}

/// The contents of an ID token of the gateway whose signature was verified.
public struct IDTokenClaim: Hashable, Sendable {
    public let account: ID<Account>
    public let session: ID<Session>

    public init(account: ID<Account>, session: ID<Session>) {
        self.account = account
        self.session = session
    }
}

/// A session as its owner sees it in a list.
public struct ListedSession: Hashable, Sendable {
    public let session: Session
    /// When its tokens were last renewed; at first, when it began.
    public let lastUsedAt: Instant

    public init(session: Session, lastUsedAt: Instant) {
        self.session = session
        self.lastUsedAt = lastUsedAt
    }
}

public struct FoundSession: Hashable, Sendable {
    public let account: Account
    /// `nil` if it has ended.
    public let session: Session?

    public init(account: Account, session: Session?) {
        self.account = account
        self.session = session
    }
}
