/// The wire's `credentialState`, named as the native `getCredentialState` names it.
public enum CredentialState: String, CaseIterable, Sendable {
    case authorized = "AUTHORIZED"
    case revoked = "REVOKED"
    /// The account has no Apple identity.
    case notFound = "NOT_FOUND"
    /// The app has moved to another developer team, and the user has not signed in since.
    case transferred = "TRANSFERRED"
    case unknown = "UNKNOWN"

    public init(of identity: LinkedIdentity?) {
        self =
            switch identity?.credential?.state {
            case _ where identity == nil: .notFound
            case .authorized: .authorized
            case .revoked: .revoked
            case .transferred: .transferred
            case .unknown, nil: .unknown
            }
    }
}
