/// Whether a person still uses Sign in with Apple for the project's apps, as Apple last said.
public struct CredentialStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case authorized = "AUTHORIZED"
        case revoked = "REVOKED"
        /// The app has moved to another team, and the person has not signed in since.
        case transferred = "TRANSFERRED"
        /// Apple cannot be asked: nothing was ever said, or the team or the private key has changed since.
        case unknown = "UNKNOWN"
    }

    public let state: State
    /// When Apple said so.
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
