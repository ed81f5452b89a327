/// One sign-in on one device. It owns a chain of refresh tokens, of which only a counter is kept.
public struct Session: Hashable, Sendable {
    /// A random UUID in lower-case text; the token's `sid`.
    public let id: ID<Session>
    public let account: ID<Account>
    /// The account's generation when the session began; the session is dead once the account has moved on.
    public let generation: Int64
    public let method: ProviderID
    /// When the person last proved who they are: the token's `auth_time`.
    public let authenticatedAt: Instant
    /// What the custom token said that the session was opened with.
    public let claims: Claims?
    /// See ``RequestContext/device``.
    public let device: String?
    /// The hash of the place where it is opened, for the account to know the place by; see ``NetworkHashing``. `nil` in a
    /// session that was opened before.
    public let place: [UInt8]?

    public init(
        id: ID<Session>, account: ID<Account>, generation: Int64, method: ProviderID, authenticatedAt: Instant,
        claims: Claims? = nil, device: String?, place: [UInt8]?
    ) {
        self.id = id
        self.account = account
        self.generation = generation
        self.method = method
        self.authenticatedAt = authenticatedAt
        self.claims = claims
        self.device = device
        self.place = place
    }
}

/// What a refresh token says once its MAC has been believed.
public struct RefreshClaim: Hashable, Sendable {
    public let session: ID<Session>
    /// The token's place in its session's chain, from 0.
    public let counter: Int64

    public init(session: ID<Session>, counter: Int64) {
        self.session = session
        self.counter = counter
    }
}

/// What an ID token of ours says once its signature has been believed.
public struct IDTokenClaim: Hashable, Sendable {
    public let account: ID<Account>
    public let session: ID<Session>

    public init(account: ID<Account>, session: ID<Session>) {
        self.account = account
        self.session = session
    }
}
