public import HTTP
public import Identity

/// Returns the client secret of a provider other than Apple; `nil` if none is stored.
public typealias ClientSecretLookup = @Sendable (ProviderID, ID<Realm>) async throws -> Secret?

/// Sends a request to a token endpoint within the request's deadline.
public typealias TokenRequestSender = @Sendable (ClientRequest) async throws -> (status: Int, body: [UInt8])

extension AuthorizationServers {
    /// Sends the requests to the providers over the network.
    ///
    /// - Parameters:
    ///   - providers: the built-in providers.
    ///   - keyCache: the cache of signing keys, which also caches the discovery documents of OpenID providers.
    ///   - allowsPrivateAddresses: whether token endpoints of configured providers may be at private addresses.
    public static func live(
        of providers: ProviderList, send: @escaping TokenRequestSender, keyCache: JWKSCache,
        appleTokens: AppleTokenEndpoint,
        appleCredentials: AppleCredentialsLookup, clientSecret: @escaping ClientSecretLookup,
        allowsPrivateAddresses: Bool = false
    ) -> AuthorizationServers {
        let apple = AppleCodes(tokens: appleTokens, credentials: appleCredentials)
        let discovered = DiscoveredServers(keyCache: keyCache, allowsPrivateAddresses: allowsPrivateAddresses)
        let codes = OpenIDCodes(send: send, clientSecret: clientSecret)
        return AuthorizationServers { request in
            if let provider = providers.byID[request.settings.provider] {
                return request.url(at: provider.endpoints.authorizationURL)
            }
            return request.url(at: try await discovered.server(of: request.settings).authorizationURL)
        } redeem: { redemption in
            let server: OpenIDServer
            switch providers.byID[redemption.settings.provider] {
            case let provider?:
                guard let builtIn = OpenIDServer(provider) else { return try await apple.redeem(redemption) }
                server = builtIn
            case nil: server = try await discovered.server(of: redemption.settings)
            }
            try server.requireIssuer(redemption.issuer)
            return try await codes.redeem(redemption, at: server)
        }
    }
}

/// Redeems codes of Apple through ``AppleTokenEndpoint``, which makes the client secrets.
private struct AppleCodes: Sendable {
    let tokens: AppleTokenEndpoint
    let credentials: AppleCredentialsLookup

    func redeem(_ redemption: CodeRedemption) async throws -> ProviderTokens {
        let client = AppleClientReference(realm: redemption.realm, clientID: redemption.clientID)
        guard let found = try await credentials.find(client) else { throw ProviderRefusal.notConfigured }
        let code = AuthorizationCode(code: redemption.code, redirectURI: redemption.redirectURI)
        switch try await tokens.exchange(code, found) {
        case .tokens(let tokens):
            guard let idToken = tokens.idToken, let subject = tokens.subject else {
                throw AuthorizationRefusal.invalidResponse
            }
            return ProviderTokens(
                idToken: idToken.expose(), accessToken: tokens.accessToken?.expose(),
                refreshToken: tokens.refreshToken.expose(), expiresIn: tokens.expiresIn, appleSubject: subject)
        case .rejected(let error): throw AuthorizationRefusal.tokenRequestRejected(error.rawValue)
        case .unavailable(let reason): throw ProviderUnreachable(provider: .apple, reason: reason)
        }
    }
}
