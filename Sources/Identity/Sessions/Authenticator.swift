/// Verifies the ID tokens of callers. Throws ``TokenRefusal``.
public struct Authenticator: Sendable {
    private let store: any AccountStore
    private let tokens: any TokenAuthority
    private let clock: WallClock

    public init(store: any AccountStore, tokens: any TokenAuthority, clock: WallClock) {
        self.store = store
        self.tokens = tokens
        self.clock = clock
    }

    /// Accepts an ID token only while its session is active, so that revocation takes effect at once.
    ///
    /// - Parameter acceptsRestricted: whether a session may call the operation that may only be used to enrol a second
    ///   factor; see ``Session/isRestricted(by:of:)``.
    /// - Parameter acceptsSupport: whether a session with ``SupportAccess`` may call the operation. Only an operation
    ///   that changes nothing about the account accepts it, so that a new operation does not by mistake.
    /// - Throws: also ``FactorRefusal/enrolmentRequired`` for such a session.
    public func authenticate(
        idToken: String, in realm: Realm, acceptsRestricted: Bool = false, acceptsSupport: Bool = false
    ) async throws -> Caller {
        let contents = try await tokens.read(idToken: idToken, in: realm, at: clock.now())
        guard let found = try await store.find(contents, in: realm.id) else { throw TokenRefusal.accountDeleted }
        return try caller(
            with: found, in: realm, acceptsRestricted: acceptsRestricted, acceptsSupport: acceptsSupport,
            hasRestrictedToken: contents.isRestricted)
    }

    /// Accepts the session that an earlier request with an ID token has named, as
    /// ``authenticate(idToken:in:acceptsRestricted:acceptsSupport:)`` does.
    func authenticate(
        _ contents: IDTokenContents, in realm: Realm, acceptsRestricted: Bool = false
    ) async throws -> Caller {
        guard let found = try await store.find(contents, in: realm.id) else { throw TokenRefusal.accountDeleted }
        return try caller(inBrowserWith: found, in: realm, acceptsRestricted: acceptsRestricted)
    }

    /// Accepts the session that a browser has proven with its cookie; see ``BrowserSessions``.
    ///
    /// - Throws: also ``FactorRefusal/enrolmentRequired``.
    func caller(
        inBrowserWith found: FoundSession, in realm: Realm, acceptsRestricted: Bool = false
    ) throws -> Caller {
        try caller(with: found, in: realm, acceptsRestricted: acceptsRestricted, acceptsSupport: false)
    }

    /// - Parameter hasRestrictedToken: whether the session was restricted when its token was issued. It may be since
    ///   then: the account was a guest's, or the policy has changed.
    private func caller(
        with found: FoundSession, in realm: Realm, acceptsRestricted: Bool, acceptsSupport: Bool,
        hasRestrictedToken: Bool = false
    ) throws -> Caller {
        guard let session = found.session else { throw TokenRefusal.sessionEnded }
        guard !found.account.isDisabled else { throw TokenRefusal.accountDisabled }
        let isRestricted = hasRestrictedToken || session.isRestricted(by: realm.policy, of: found.account)
        guard acceptsRestricted || !isRestricted else { throw FactorRefusal.enrolmentRequired }
        try check(session.support, isAccepted: acceptsSupport)
        return Caller(withIDTokenOf: found.account, in: session)
    }

    private func check(_ support: SupportAccess?, isAccepted: Bool) throws(TokenRefusal) {
        guard let support else { return }
        guard clock.now() < support.endsAt else { throw .sessionEnded }
        guard isAccepted else { throw .supportAccess }
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
