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
    ///   - keyCache: the cache of signing keys, which also caches the discovery documents of OpenID providers.
    ///   - allowsPrivateAddresses: whether token endpoints of configured providers may be at private addresses.
    public static func live(
        send: @escaping TokenRequestSender, at endpoints: AuthorizationEndpoints = .live,
        issuers: ProviderEndpoints = .live, keyCache: JWKSCache, appleTokens: AppleTokenEndpoint,
        appleCredentials: AppleCredentialsLookup, clientSecret: @escaping ClientSecretLookup,
        allowsPrivateAddresses: Bool = false
    ) -> AuthorizationServers {
        let apple = AppleCodes(tokens: appleTokens, credentials: appleCredentials)
        let servers = OpenIDServers(
            endpoints: endpoints, googleIssuers: issuers.google.issuers, keyCache: keyCache,
            allowsPrivateAddresses: allowsPrivateAddresses)
        let codes = OpenIDCodes(send: send, clientSecret: clientSecret)
        return AuthorizationServers { request in
            guard request.settings.provider != .apple else {
                return request.url(at: endpoints.appleAuthorizationURL)
            }
            return request.url(at: try await servers.server(of: request.settings).authorizationURL)
        } redeem: { redemption in
            guard redemption.settings.provider != .apple else { return try await apple.redeem(redemption) }
            let server = try await servers.server(of: redemption.settings)
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
