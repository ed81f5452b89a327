/// A credential to sign in, link or reauthenticate with. Providers such as ``OAuthProvider`` create it.
///
/// Its description contains only the provider ID.
public class AuthCredential: @unchecked Sendable {
    /// The provider's ID, for example `apple.com` or `password`.
    public let provider: String
    let content: CredentialContent

    init(provider: String, _ content: CredentialContent) {
        self.provider = provider
        self.content = content
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

/// The content of a credential, most of which is secret.
enum CredentialContent: Sendable {
    case password(email: String, password: String)
    case emailLink(email: String, code: String)
    /// The tokens of an identity provider.
    case idp(IdpTokens)
    /// Refers to a provider's credential that the gateway has verified in an earlier request.
    case pendingToken(String)
    /// The URL to which the browser returned after a sign-in at a provider, and the secret of that sign-in.
    case browser(requestURI: String, sessionID: String)
    case phone(PhoneCredentialContent)
}

/// What an identity provider sent to the app, with the nonce of the request.
struct IdpTokens: Sendable {
    var idToken: String?
    var accessToken: String?
    var rawNonce: String?
    var name: PersonName?
    /// The code of Apple beside the ID token, or the server auth code of Google in place of an ID token.
    var authorizationCode: String?
}

/// A user's name, as in `PersonName` of `openapi.yaml`.
struct PersonName: Codable, Hashable, Sendable {
    var givenName: String?
    var familyName: String?
}
