/// What a user presents to sign in, to link or to reauthenticate. Providers such as ``OAuthProvider`` create it.
///
/// Its description does not contain the secret.
public class AuthCredential: @unchecked Sendable {
    /// The provider's ID, for example `apple.com` or `password`.
    public let provider: String
    let evidence: Evidence

    init(provider: String, _ evidence: Evidence) {
        self.provider = provider
        self.evidence = evidence
    }
}

extension AuthCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider only.
    public var description: String { "AuthCredential(provider: \(provider))" }
    /// The provider only.
    public var debugDescription: String { description }
    /// The provider only.
    public var customMirror: Mirror { Mirror(self, children: ["provider": provider]) }
}

/// The secret part of a credential.
enum Evidence: Sendable {
    case password(email: String, password: String)
    case emailLink(email: String, code: String)
    case identity(IdentityEvidence)
    /// A credential that the gateway has verified in an earlier request.
    case pending(token: String)
}

/// What a provider gave to the app.
struct IdentityEvidence: Sendable {
    var idToken: String?
    var accessToken: String?
    var rawNonce: String?
    var name: PersonName?
    var authorizationCode: String?
}

/// A name as the gateway expects it.
struct PersonName: Codable, Hashable, Sendable {
    var givenName: String?
    var familyName: String?
}
