/// The account and session of a request with a valid ID token.
public struct Caller: Hashable, Sendable {
    public let account: Account
    public let session: Session

    public init(account: Account, session: Session) {
        self.account = account
        self.session = session
    }

    /// Whether the caller has no credential to sign in again with.
    private var hasNoProof: Bool { account.isAnonymous && session.method != .custom }

    /// - Throws: ``EditRefusal/loginTooOld``, unless the account has no credential to authenticate with again.
    func requireRecentLogin(by policy: Policy, at now: Instant) throws(EditRefusal) {
        guard hasNoProof || now - session.authenticatedAt <= policy.recentLoginMaxAge else { throw .loginTooOld }
    }

    /// The same, if the policy has ``Policy/requiresRecentLoginToLink``.
    func requireRecentLoginToLink(by policy: Policy, at now: Instant) throws(EditRefusal) {
        if policy.requiresRecentLoginToLink { try requireRecentLogin(by: policy, at: now) }
    }

    /// The `auth_time` of the session that a link opens. Linking proves the new identity, not the account, so the login
    /// does not become more recent. For an anonymous account, the identity is the first proof.
    func authenticatedAt(linkingAt now: Instant) -> Instant { hasNoProof ? now : session.authenticatedAt }
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
    /// The tokens of `session` whose newest refresh token is at `counter`.
    func signedIn(
        _ account: Account, _ session: Session, counter: Int64 = 0, in project: Project, at now: Instant
    ) async throws -> SignedIn {
        SignedIn(
            account: account, session: session,
            idToken: try await idToken(for: account, session: session, in: project, at: now),
            refreshToken: try await refreshToken(RefreshClaim(session: session.id, counter: counter), in: project),
            expiresIn: project.policy.idTokenLifetime)
    }
}
