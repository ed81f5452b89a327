/// Somebody who presented an ID token of ours whose session lives.
public struct Caller: Hashable, Sendable {
    public let account: Account
    public let session: Session

    public init(account: Account, session: Session) {
        self.account = account
        self.session = session
    }

    /// The caller has no means to sign in again.
    private var hasNoProof: Bool { account.isAnonymous && session.method != .custom }

    /// - Throws: ``EditRefusal/loginTooOld``, except for an account that has nothing to prove itself with again.
    func requireRecentLogin(by policy: Policy, at now: Instant) throws(EditRefusal) {
        guard hasNoProof || now - session.authenticatedAt <= policy.recentLoginMaxAge else { throw .loginTooOld }
    }

    /// The same where ``Policy/requiresRecentLoginToLink`` is on.
    func requireRecentLoginToLink(by policy: Policy, at now: Instant) throws(EditRefusal) {
        if policy.requiresRecentLoginToLink { try requireRecentLogin(by: policy, at: now) }
    }

    /// The `auth_time` of the session that a link opens. Who links an identity proves that one, not the account, so the
    /// login does not become more recent. An anonymous account gets its first proof with it.
    func authenticatedAt(linkingAt now: Instant) -> Instant { hasNoProof ? now : session.authenticatedAt }
}

/// A session just opened or carried on, with what its device gets to hold.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: Session
    public let idToken: String
    public let refreshToken: String
    /// How long the ID token is good for.
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
