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
    public func authenticate(idToken: String, in project: Project) async throws -> Caller {
        let contents = try await tokens.read(idToken: idToken, in: project, at: clock.now())
        guard let found = try await store.find(contents, in: project.realm) else { throw TokenRefusal.accountDeleted }
        guard let session = found.session else { throw TokenRefusal.sessionEnded }
        guard !found.account.isDisabled else { throw TokenRefusal.accountDisabled }
        return Caller(withIDTokenOf: found.account, in: session)
    }
}
