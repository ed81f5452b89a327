/// A sign-in on one device. It has a chain of refresh tokens; only the counter of the newest one is stored.
public struct Session: Hashable, Sendable {
    /// A UUID in lower-case text that cannot be guessed; the token's `sid`.
    public let id: ID<Session>
    public let account: ID<Account>
    /// The account's generation when the session began. The account gets a new generation when all its sessions end, so
    /// a session of an earlier generation has ended.
    public let generation: Int64
    public let method: ProviderID
    /// When the user last authenticated: the token's `auth_time`.
    public let authenticatedAt: Instant
    /// The claims of the custom token that opened the session.
    public let claims: Claims?
    /// See ``RequestContext/device``.
    public let device: String?
    /// The hash of the network in which the session is opened, which becomes a known network; see ``NetworkHashing``.
    /// `nil` for a session that is read from the store, or if the network does not become known.
    public let networkHash: [UInt8]?
    /// When Apple issued the credential that opens the session; `nil` for other methods.
    public let credentialIssuedAt: Instant?
    /// The maximum number of the account's active sessions, including this one, when this session is opened; see
    /// ``Policy/sessionLimit``. 0 means no limit; also 0 for a session that is read from the store, and for a session
    /// that is the account's only one.
    public let sessionLimit: Int

    public init(
        id: ID<Session>, account: ID<Account>, generation: Int64, method: ProviderID, authenticatedAt: Instant,
        claims: Claims? = nil, device: String?, networkHash: [UInt8]?, credentialIssuedAt: Instant? = nil,
        sessionLimit: Int = 0
    ) {
        self.id = id
        self.account = account
        self.generation = generation
        self.method = method
        self.authenticatedAt = authenticatedAt
        self.claims = claims
        self.device = device
        self.networkHash = networkHash
        self.credentialIssuedAt = credentialIssuedAt
        self.sessionLimit = sessionLimit
    }
}

extension Session {
    /// The limit that the store enforces when it opens this session; 0 if it does not count the account's sessions.
    ///
    /// Counting makes a sign-in a few percent slower. Therefore, with a limit of 100 or more, only one of sixteen
    /// sign-ins counts the sessions, and then ends all that exceed the limit. The random ID decides which one.
    public var limitToEnforce: Int {
        sessionLimit < 100 || id.rawValue.utf8.first == UInt8(ascii: "0") ? sessionLimit : 0
    }

    /// The same session with the account's `generation`.
    public func withGeneration(_ generation: Int64) -> Session {
        Session(
            id: id, account: account, generation: generation, method: method, authenticatedAt: authenticatedAt,
            claims: claims, device: device, networkHash: networkHash, credentialIssuedAt: credentialIssuedAt,
            sessionLimit: sessionLimit)
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

    public init(account: ID<Account>, session: ID<Session>) {
        self.account = account
        self.session = session
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

/// Issues and verifies the gateway's own tokens. Verification throws ``TokenRefusal``.
public protocol TokenAuthority: Sendable {
    func idToken(for account: Account, session: Session, in project: Project, at now: Instant) async throws -> String
    func refreshToken(_ contents: RefreshTokenContents, in project: Project) async throws -> String
    /// Returns a token with the claims of `idToken`, but with other times and another issuer, so that the two kinds of
    /// token cannot be confused. An authority that accepts unsigned ID tokens takes the claims from `caller` instead.
    ///
    /// - Parameter caller: the account and the session of the ID token.
    func sessionCookie(
        from idToken: String, of caller: Caller, lasting lifetime: Duration, in project: Project, at now: Instant
    ) async throws -> String
    func read(idToken: String, in project: Project, at now: Instant) async throws -> IDTokenContents
    func read(refreshToken: String, in project: Project) async throws -> RefreshTokenContents
}

/// A session that was opened or refreshed, with the tokens for its device.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: Session
    public let idToken: String
    public let refreshToken: String
    /// The lifetime of the ID token.
    public let expiresIn: Duration
}

extension TokenAuthority {
    /// Issues the tokens of `session`.
    ///
    /// - Parameter counter: the position of the refresh token in the session's chain.
    func signedIn(
        _ account: Account, _ session: Session, counter: Int64 = 0, in project: Project, at now: Instant
    ) async throws -> SignedIn {
        SignedIn(
            account: account, session: session,
            idToken: try await idToken(for: account, session: session, in: project, at: now),
            refreshToken: try await refreshToken(
                RefreshTokenContents(session: session.id, counter: counter), in: project),
            expiresIn: project.policy.idTokenLifetime)
    }
}

/// The account and session of a request with a valid ID token.
public struct Caller: Hashable, Sendable {
    public let account: Account
    public let session: Session

    public init(account: Account, session: Session) {
        self.account = account
        self.session = session
    }

    /// Whether the caller has no credential for a new sign-in.
    private var cannotReauthenticate: Bool { account.isAnonymous && session.method != .custom }

    /// Requires that the session's login is not older than ``Policy/recentLoginMaxAge``. Accepts every login of a
    /// caller who has no credential for a new sign-in.
    func requireRecentLogin(by policy: Policy, at now: Instant) throws(EditRefusal) {
        guard cannotReauthenticate || now - session.authenticatedAt <= policy.recentLoginMaxAge else {
            throw .loginTooOld
        }
    }

    /// Requires a recent login if the policy has ``Policy/requiresRecentLoginToLink``.
    func requireRecentLoginToLink(by policy: Policy, at now: Instant) throws(EditRefusal) {
        if policy.requiresRecentLoginToLink { try requireRecentLogin(by: policy, at: now) }
    }

    /// The `auth_time` of the session that is opened when the caller links an identity. Linking proves the new
    /// identity, not the account, so the login does not become more recent. For an anonymous account, the identity is
    /// the first proof.
    func authenticatedAt(linkingAt now: Instant) -> Instant { cannotReauthenticate ? now : session.authenticatedAt }
}

/// The result of a request with a refresh token.
///
/// The session stores the counter of the newest token that was issued. What the client gets depends on the token that
/// it sends:
///
/// - The newest token: its successor, which is then the newest.
/// - The token before the newest: the newest again, at any time, because the first response may have been lost.
/// - An older token: the newest, but only during a short grace period after the older token's successor was used. After
///   that, the reuse means that two parties have tokens of the chain, and the session ends.
/// - A token with a counter higher than the stored one: its successor. The token was issued before a database failover
///   that lost the stored counter, so the chain continues from that token.
///
/// Without ``Policy/rotatesRefreshTokens``, the client gets the newest token for every token of the chain.
public enum Rotation: Hashable, Sendable {
    /// - Parameter counter: the counter of the token to return.
    case continues(Session, Account, counter: Int64)
    /// An older token was used after its grace period, so the session was ended.
    case stolen
    /// The session had already ended.
    case ended
    case accountDisabled
    /// The session no longer exists: its account was deleted, or the session ended long ago.
    case removed
}

/// A secret that a client generates before a request that replaces the client's session.
///
/// If the response with the new tokens is lost, the client sends a refresh token of the former session with the key,
/// and gets tokens of the new session. Without the key, the refresh token is rejected. An attacker who has copied the
/// refresh token therefore gets no tokens after a change of password.
public struct ResumptionKey: Sendable {
    public let secret: Secret

    /// - Returns: `nil` unless the text is 22 to 128 characters of base64url: at least 128 random bits.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{22,128}/) != nil else { return nil }
        secret = Secret(text)
    }
}
