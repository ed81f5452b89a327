internal import Identity

/// An authorization server, as its configuration describes it (OpenID Connect Discovery 1.0 §3).
struct OpenIDServer: Sendable {
    let authorizationURL: String
    let tokenURL: String
    /// The accepted values of `iss` in responses.
    let issuers: [String]
    /// Whether every response has `iss` (RFC 9207 §3).
    let sendsIssuer: Bool
    /// Whether the client secret is sent in the form of the token request, and not in a header.
    let sendsSecretInForm: Bool
    let destination: Destination

    enum Destination: Sendable {
        /// The URL is fixed at start.
        case known
        case configured(allowsPrivate: Bool)
    }

    /// Rejects a response that names another issuer, because the code of another provider must not be sent to this provider
    /// (RFC 9207 §2.4).
    func requireIssuer(_ issuer: String?) throws(AuthorizationRefusal) {
        guard let issuer else {
            guard !sendsIssuer else { throw .invalidResponse }
            return
        }
        guard issuers.containsExactly(issuer) else { throw .invalidResponse }
    }
}

/// Finds the endpoints of Google, which are fixed, and of configured OpenID providers, which publish them.
struct OpenIDServers: Sendable {
    let endpoints: AuthorizationEndpoints
    let googleIssuers: [String]
    let keys: JWKSCache
    let allowsPrivate: Bool

    func server(of settings: ProviderSettings) async throws -> OpenIDServer {
        if settings.provider == .google {
            // Google sends `iss`, but did not do so in the past.
            return OpenIDServer(
                authorizationURL: endpoints.google.authorizationURL, tokenURL: endpoints.google.tokenURL,
                issuers: googleIssuers, sendsIssuer: false, sendsSecretInForm: true, destination: .known)
        }
        guard let openID = settings.openID else { throw ProviderRefusal.notConfigured }
        let discovery = try await keys.discovery(of: openID.issuer, settings.provider)
        guard let authorizationURL = discovery.authorizationURL, let tokenURL = discovery.tokenURL else {
            throw ProviderUnreachable(
                provider: settings.provider, reason: "the configuration names no usable authorization or token endpoint"
            )
        }
        return OpenIDServer(
            authorizationURL: authorizationURL, tokenURL: tokenURL, issuers: [openID.issuer],
            sendsIssuer: discovery.sendsIssuer, sendsSecretInForm: discovery.sendsSecretInForm,
            destination: .configured(allowsPrivate: allowsPrivate))
    }
}
