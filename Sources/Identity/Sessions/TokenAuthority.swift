/// Issues and verifies the gateway's own tokens. Verification throws ``TokenRefusal``.
public protocol TokenAuthority: Sendable {
    func idToken(for account: Account, session: Session, in realm: Realm, at now: Instant) async throws -> String
    func refreshToken(_ contents: RefreshTokenContents, in realm: Realm) async throws -> String
    /// Returns a token with the claims of `idToken`, but with other times and another issuer, so that the two kinds of
    /// token cannot be confused. An authority that accepts unsigned ID tokens takes the claims from `caller` instead.
    ///
    /// - Parameter caller: the account and the session of the ID token.
    func sessionCookie(
        from idToken: String, of caller: Caller, lasting lifetime: Duration, in realm: Realm, at now: Instant
    ) async throws -> String
    /// Returns the token that authenticates the gateway to a blocking function. It is not an ID token.
    func hookToken(_ payload: [UInt8], in realm: Realm, at now: Instant) async throws -> String
    func read(idToken: String, in realm: Realm, at now: Instant) async throws -> IDTokenContents
    func read(refreshToken: String, in realm: Realm) async throws -> RefreshTokenContents
}

/// A session that was opened or refreshed, with the tokens for its device.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: Session
    /// Whether the sign-in created the account.
    public let isNewAccount: Bool
    public let idToken: String
    public let refreshToken: String
    /// The lifetime of the ID token.
    public let expiresIn: Duration
    /// Whether the session may only be used to enrol a second factor; see ``Session/isRestricted(by:of:)``.
    public let isRestricted: Bool
}

extension TokenAuthority {
    /// Issues the tokens of a session that was just opened or refreshed. Only ``SignInCompletion`` and ``TokenRefresh``
    /// call this; `LayeringTests` enforces it.
    ///
    /// - Parameter counter: the position of the refresh token in the session's chain.
    func issueTokenPair(
        for session: Session, of account: Account, isNewAccount: Bool = false, counter: Int64 = 0, in realm: Realm,
        at now: Instant
    ) async throws -> SignedIn {
        SignedIn(
            account: account, session: session, isNewAccount: isNewAccount,
            idToken: try await idToken(for: account, session: session, in: realm, at: now),
            refreshToken: try await refreshToken(
                RefreshTokenContents(session: session.id, counter: counter), in: realm),
            expiresIn: realm.policy.idTokenLifetime,
            isRestricted: session.isRestricted(by: realm.policy, of: account))
    }
}
