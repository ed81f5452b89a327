/// The account and session of a request with a valid ID token. Only ``Authenticator`` makes one; `LayeringTests`
/// enforces it.
public struct Caller: Hashable, Sendable {
    public let account: Account
    public let session: Session

    init(withIDTokenOf account: Account, in session: Session) {
        self.account = account
        self.session = session
    }
}

extension Caller {
    /// Whether the caller has no credential for a new sign-in.
    private var cannotReauthenticate: Bool { account.isAnonymous && session.method != .custom }

    /// Requires that the session's login is not older than ``Policy/recentLoginMaxAge``. Accepts every login of a
    /// caller who has no credential for a new sign-in.
    ///
    /// If second factors or passkeys protect the account (see ``SecondFactorPolicy``), the session must have been
    /// opened with one that the account still has: an attacker with the password alone must not change what protects
    /// the account.
    func requireRecentLogin(by policy: Policy, at now: Instant) throws(EditRefusal) {
        try requireSecondFactor(by: policy)
        guard cannotReauthenticate || now - session.authenticatedAt <= policy.recentLoginMaxAge else {
            throw .loginTooOld
        }
    }

    /// Requires a recent login if the policy has ``Policy/requiresRecentLoginToLink``, and in any case a second factor
    /// or a passkey if one protects the account.
    func requireRecentLoginToLink(by policy: Policy, at now: Instant) throws(EditRefusal) {
        try requireSecondFactor(by: policy)
        if policy.requiresRecentLoginToLink { try requireRecentLogin(by: policy, at: now) }
    }

    /// Whether ``requireRecentLoginToLink(by:at:)`` accepts the caller.
    func mayLink(by policy: Policy, at now: Instant) -> Bool {
        do {
            try requireRecentLoginToLink(by: policy, at: now)
            return true
        } catch {
            return false
        }
    }

    private func requireSecondFactor(by policy: Policy) throws(EditRefusal) {
        guard policy.secondFactors.accepts(session, of: account) else { throw .loginTooOld }
    }

    /// The `auth_time` of the session that is opened when the caller links an identity; `nil` if the link counts as a
    /// login. Linking proves the new identity, not the account, so the login does not become more recent. For an
    /// anonymous account, the identity is the first proof.
    var authenticatedAtAfterLinking: Instant? { cannotReauthenticate ? nil : session.authenticatedAt }
}
