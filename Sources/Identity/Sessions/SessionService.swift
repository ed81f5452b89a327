/// Lists and ends the sessions of the caller's account. Throws ``SessionRefusal`` and ``TokenRefusal``.
///
/// Requires no recent login: a user who has lost a phone does not have to enter a password first, and an attacker gains
/// nothing by ending sessions.
public struct SessionService: Sendable {
    /// The maximum number of listed sessions.
    public static let limit = 100

    private let store: any AccountStore
    private let clock: WallClock

    public init(store: any AccountStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// The most recently used sessions come first.
    public func list(for caller: Caller, in project: Project) async throws -> [ListedSession] {
        try await store.sessions(of: caller.account.id, atMost: Self.limit, in: project.realm)
    }

    /// Ends a session. From the next request on, the gateway rejects the session's ID tokens and refresh tokens.
    public func end(
        _ session: ID<Session>, by caller: Caller, in project: Project, from context: RequestContext
    ) async throws {
        try await mappingConflicts(to: \.refusalOfSessionEnd) {
            try await store.end(
                session, by: caller.session, actor: .user(context.trace), at: clock.now(), in: project.realm)
        }
    }

    /// Ends all sessions of the account, including the caller's. Sign-ins in progress cannot open a valid session.
    public func endAll(by caller: Caller, in project: Project, from context: RequestContext) async throws {
        try await mappingConflicts(to: \.refusalOfEdit) {
            try await store.endAll(by: caller.session, actor: .user(context.trace), at: clock.now(), in: project.realm)
        }
    }
}
