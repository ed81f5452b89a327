internal import Encoding
internal import Identity

/// The endpoints of an authorization server, and how they are used (OpenID Connect Discovery 1.0 §3).
struct OpenIDServer: Sendable {
    let authorizationURL: String
    let tokenURL: String
    /// The accepted values of `iss` in responses.
    let issuers: [String]
    /// Whether an authorization response without `iss` is rejected (RFC 9207 §2.4).
    let requiresIssuer: Bool
    /// Whether the client secret is sent in the request body (`client_secret_post`) instead of the header field
    /// `Authorization` (`client_secret_basic`).
    let sendsSecretInBody: Bool
    let tokenURLSource: TokenURLSource

    /// Where ``tokenURL`` comes from. It decides whether the gateway may connect to a private address.
    enum TokenURLSource: Sendable {
        /// Fixed at start: any address is allowed.
        case fixed
        /// The discovery document of a configured issuer.
        case discovery(allowsPrivateAddresses: Bool)
    }

    /// Rejects an authorization response that names another issuer, because the code of another provider must not be
    /// sent to this provider (RFC 9207 §2.4). Rejects a response without an issuer only if ``requiresIssuer``.
    func requireIssuer(_ issuer: String?) throws(AuthorizationRefusal) {
        guard let issuer else {
            guard !requiresIssuer else { throw .invalidResponse }
            return
        }
        guard issuers.containsExactly(issuer) else { throw .invalidResponse }
    }
}

extension OpenIDServer {
    /// The server of a built-in provider. Its responses need not have `iss`, because not all providers send it.
    ///
    /// - Returns: `nil` if the provider requires a signed client secret; see
    ///   ``ProviderEndpoints/CodeExchange/apple``.
    init?(_ provider: IdentityProvider) {
        guard case .secretInBody(let tokenURL) = provider.endpoints.codeExchange else { return nil }
        self.init(
            authorizationURL: provider.endpoints.authorizationURL, tokenURL: tokenURL, issuers: provider.value.issuers,
            requiresIssuer: false, sendsSecretInBody: true, tokenURLSource: .fixed)
    }
}

/// Finds the endpoints of configured OpenID providers, which publish them.
struct DiscoveredServers: Sendable {
    let keyCache: JWKSCache
    /// Whether token endpoints of configured providers may be at private addresses.
    let allowsPrivateAddresses: Bool

    func server(of settings: ProviderSettings) async throws -> OpenIDServer {
        guard let openID = settings.openID else { throw ProviderRefusal.notConfigured }
        let discovery = try await keyCache.discovery(of: openID.issuer, settings.provider)
        guard let authorizationURL = discovery.authorizationURL, let tokenURL = discovery.tokenURL else {
            throw ProviderUnreachable(
                provider: settings.provider,
                reason: "the discovery document has no usable authorization_endpoint or token_endpoint")
        }
        return OpenIDServer(
            authorizationURL: authorizationURL, tokenURL: tokenURL, issuers: [openID.issuer],
            requiresIssuer: discovery.sendsIssuer, sendsSecretInBody: discovery.sendsSecretInBody,
            tokenURLSource: .discovery(allowsPrivateAddresses: allowsPrivateAddresses))
    }
}
