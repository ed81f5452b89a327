/// The wire's `credentialState`, named as the native `getCredentialState` names it.
public enum CredentialState: String, CaseIterable, Sendable {
    case authorized = "AUTHORIZED"
    case revoked = "REVOKED"
    /// The account has no identity of Apple.
    case notFound = "NOT_FOUND"
    /// The app is moving to another developer team.
    case transferred = "TRANSFERRED"
    case unknown = "UNKNOWN"

    public init(of identity: LinkedIdentity?) {
        self =
            switch identity?.credential?.state {
            case _ where identity == nil: .notFound
            case .authorized: .authorized
            case .revoked: .revoked
            case .unknown, nil: .unknown
            }
    }
}
