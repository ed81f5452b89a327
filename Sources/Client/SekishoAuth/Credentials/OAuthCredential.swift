/// A credential of an identity provider.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    private let responseIDToken: String?
    private let responseAccessToken: String?

    /// - Parameters:
    ///   - idToken: what the provider issued, if the evidence does not contain it.
    ///   - accessToken: see `idToken`.
    init(provider: String, _ evidence: Evidence, idToken: String? = nil, accessToken: String? = nil) {
        responseIDToken = idToken
        responseAccessToken = accessToken
        super.init(provider: provider, evidence)
    }

    /// The ID token that the provider issued.
    public var idToken: String? { identity?.idToken ?? responseIDToken }
    /// The access token that the provider issued.
    public var accessToken: String? { identity?.accessToken ?? responseAccessToken }
    /// The secret of OAuth 1.0, which no provider of the gateway uses.
    public var secret: String? { nil }

    /// The token that stands for a credential that the gateway has verified. It can be used instead of the credential,
    /// for half an hour and once.
    public var pendingToken: String? {
        if case .pending(let token) = evidence { token } else { nil }
    }

    private var identity: IdentityEvidence? {
        if case .identity(let identity) = evidence { identity } else { nil }
    }
}
