/// A credential of an identity provider.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    private let responseIDToken: String?
    private let responseAccessToken: String?

    /// - Parameters:
    ///   - idToken: the provider's ID token in the gateway's response, if the content is a pending token.
    ///   - accessToken: the provider's access token in the same response.
    init(provider: String, _ content: CredentialContent, idToken: String? = nil, accessToken: String? = nil) {
        responseIDToken = idToken
        responseAccessToken = accessToken
        super.init(provider: provider, content)
    }

    /// The provider's ID token, if known.
    public var idToken: String? { tokens?.idToken ?? responseIDToken }
    /// The provider's access token, if known.
    public var accessToken: String? { tokens?.accessToken ?? responseAccessToken }
    /// The OAuth 1.0 token secret. Always `nil`, because the gateway does not support OAuth 1.0.
    public var secret: String? { nil }

    /// The pending token of an ``AuthErrorCode/updatedCredential``: the gateway has verified the provider's credential.
    /// It can be used once, within 30 minutes.
    public var pendingToken: String? {
        if case .pendingToken(let token) = content { token } else { nil }
    }

    private var tokens: IdpTokens? {
        if case .idp(let tokens) = content { tokens } else { nil }
    }
}
