/// Session cookies: tokens that the backend of a web app stores in the browser instead of an ID token. The backend
/// verifies them itself.
public struct SessionCookies: Sendable {
    /// The allowed lifetimes.
    public static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(14 * 86_400)

    private let authenticator: Authenticator
    private let tokens: any TokenAuthority
    private let trail: AuditTrail
    private let clock: WallClock

    public init(
        authenticator: Authenticator, tokens: any TokenAuthority, trail: AuditTrail, clock: WallClock
    ) {
        self.authenticator = authenticator
        self.tokens = tokens
        self.trail = trail
        self.clock = clock
    }

    /// Creates a session cookie. Does not require a recent login, because the backend can check that itself. Throws
    /// ``TokenRefusal``.
    ///
    /// - Parameter lifetime: must be within ``lifetimes``.
    public func cookie(
        for idToken: String, lasting lifetime: Duration, in realm: Realm, by actor: AuditActor
    ) async throws -> String {
        let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
        let now = clock.now()
        let cookie = try await tokens.sessionCookie(
            from: idToken, of: caller, lasting: lifetime, in: realm, at: now)
        try await trail.record(AuditNote(.sessionCookieCreated, caller.account.id), actor, realm.id, now)
        return cookie
    }
}
