/// Whether a user still uses Sign in with Apple for the project's apps, as of Apple's latest response.
public struct CredentialStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case authorized = "AUTHORIZED"
        case revoked = "REVOKED"
        /// The app has moved to another team, and the user has not signed in since.
        case transferred = "TRANSFERRED"
        /// Apple has not reported anything, or the team or the private key has changed since.
        case unknown = "UNKNOWN"
    }

    public let state: State
    /// When Apple reported the state.
    public let checkedAt: Instant

    public init(_ state: State, at checkedAt: Instant) {
        self.state = state
        self.checkedAt = checkedAt
    }
}

extension CredentialStatus {
    /// The status after a sign-in with a token that Apple issued at `issuedAt`. A repeated old token proves nothing new.
    /// An unchanged state keeps its time, so that a sign-in writes no row for it.
    static func signedIn(before: CredentialStatus?, issuedAt: Instant?) -> CredentialStatus? {
        guard let issuedAt else { return before }
        guard let before else { return CredentialStatus(.authorized, at: issuedAt) }
        return before.state == .authorized || before.checkedAt >= issuedAt
            ? before : CredentialStatus(.authorized, at: issuedAt)
    }
}
