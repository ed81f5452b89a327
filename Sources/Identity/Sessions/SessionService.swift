/// Lists and ends the sessions of the caller's account, and tells backends whether a session is active. Throws
/// ``SessionRefusal`` and ``TokenRefusal``.
///
/// Ending a session requires no recent login: a user who has lost a phone does not have to enter a password first, and
/// an attacker gains nothing by ending sessions.
public struct SessionService: Sendable {
    private let store: any AccountStore
    private let clock: WallClock

    public init(store: any AccountStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Lists the sessions in the order of their logins, the latest first. The time of a login never changes, so an
    /// attacker cannot hide a session from a user who lists page by page, by using it meanwhile.
    ///
    /// - Parameter position: where the page begins; `nil` for the first page.
    /// - Returns: one page, and the position of the next page if there is one.
    public func list(
        for caller: Caller, after position: TimePosition?, limit: Int, in realm: Realm
    ) async throws -> (sessions: [ListedSession], next: TimePosition?) {
        try await list(of: caller.account.id, after: position, limit: limit, in: realm)
    }

    /// Lists the sessions of any account, for an administrator, in the same order.
    public func list(
        of account: ID<Account>, after position: TimePosition?, limit: Int, in realm: Realm
    ) async throws -> (sessions: [ListedSession], next: TimePosition?) {
        // Reads one session more than the page has, to find out whether there is a next page.
        let found = try await store.sessions(
            of: account, after: position, limit: limit + 1, in: realm.id)
        let page = found.prefix(limit)
        let now = clock.now()
        let active = page.filter { !$0.session.isOver(at: now) }
        return (active, found.count > limit ? page.last?.session.position : nil)
    }

    /// - Returns: `nil` if the session is unknown: it never existed, it ended long ago, or its account was deleted.
    public func status(of session: ID<Session>, in realm: Realm) async throws -> SessionStatus? {
        try await store.status(of: session, in: realm.id)?.asOf(clock.now())
    }

    /// Ends a session. From the next request on, the gateway rejects the session's ID tokens and refresh tokens.
    public func end(
        _ session: ID<Session>, by caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws {
        try await mappingConflicts(to: \.refusalOfEnd) {
            try await store.end(
                session, by: caller.session, events: [AccountEvent(.sessionRevoked(session), of: caller.account.id)],
                recording: realm.recording(by: .user(context.trace)), at: clock.now(), in: realm.id)
        }
    }

    /// Ends all sessions of the account, including the caller's. Sign-ins in progress cannot open a valid session.
    public func endAll(by caller: Caller, in realm: Realm, from context: RequestContext) async throws {
        try await mappingConflicts(to: \.refusalOfEdit) {
            try await store.endAll(
                by: caller.session, events: [AccountEvent(.sessionRevoked(nil), of: caller.account.id)],
                recording: realm.recording(by: .user(context.trace)), at: clock.now(), in: realm.id)
        }
    }
}

extension Session {
    /// The session's position in the list of the account's sessions.
    fileprivate var position: TimePosition { TimePosition(time: authenticatedAt, id: id.rawValue) }
}

extension StoreConflict {
    fileprivate var refusalOfEnd: (any Refusal)? {
        switch self {
        case .notFound: SessionRefusal.unknownSession
        case .stale, .taken, .alreadyUsed, .lastSignInMethod: nil
        }
    }
}

/// A session as its owner sees it in a list.
public struct ListedSession: Hashable, Sendable {
    public let session: Session
    /// When the session's tokens were last refreshed; before the first refresh, when the session began.
    public let lastUsedAt: Instant

    /// The app that opened the session; `nil` if the gateway does not know it.
    public let app: ID<App>?

    public init(session: Session, lastUsedAt: Instant, app: ID<App>? = nil) {
        self.session = session
        self.lastUsedAt = lastUsedAt
        self.app = app
    }
}
