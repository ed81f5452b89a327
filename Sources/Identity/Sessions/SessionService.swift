/// What somebody who is signed in may know and do about where else they are. Throws ``SessionRefusal``.
///
/// No recent login is asked for: who has lost a phone should not have to find a password first, and a thief who ends
/// sessions wins nothing by it.
public struct SessionService: Sendable {
    /// How many are listed at most.
    public static let limit = 100

    private let store: any SessionStore
    private let clock: WallClock

    public init(store: any SessionStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Those used last come first.
    public func list(for caller: Caller, in project: Project) async throws -> [ListedSession] {
        try await store.sessions(of: caller.account.id, atMost: Self.limit, in: project.realm)
    }

    /// From the next request on, neither its ID tokens nor its refresh token are good for anything here.
    public func end(
        _ session: ID<Session>, by caller: Caller, in project: Project, from origin: RequestContext
    ) async throws {
        try await refusing(\.atSessionEnd) {
            try await store.end(
                session, by: caller.session, of: .user(origin.trace), at: clock.now(), in: project.realm)
        }
    }

    /// The caller's own ends too. A sign-in that is under way meanwhile opens none that lives.
    public func endAll(by caller: Caller, in project: Project, from origin: RequestContext) async throws {
        try await refusing(\.atEdit) {
            try await store.endAll(by: caller.session, of: .user(origin.trace), at: clock.now(), in: project.realm)
        }
    }
}
