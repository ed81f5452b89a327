/// Exchanges server auth codes for tokens of the provider. The provider's SDK gives an app such a code for the web
/// client of the project, which has the client secret; see ``Provider/acceptsServerAuthCodes``.
public struct ServerAuthCodes: Sendable {
    private let servers: AuthorizationServers
    private let verifier: Verifier
    private let limiter: RateLimiter

    public init(servers: AuthorizationServers, verifier: Verifier, limiter: RateLimiter) {
        self.servers = servers
        self.verifier = verifier
        self.limiter = limiter
    }

    /// Redeems a code, which is possible once. The provider must be one that ``Verifier/requireAllowed`` accepts.
    ///
    /// The request has no redirect URI and no code verifier. Therefore the provider rejects a code that it issued for a
    /// sign-in in the browser, which an attacker may have stolen from there.
    ///
    /// - Throws: ``AuthorizationRefusal`` if the code is too long or the provider rejects it, ``ProviderRefusal`` if
    ///   the app has no client ID of the provider, ``TooManyAttempts``, or ``ProviderUnreachable``. The code may still
    ///   be valid after the last two.
    func redeem(
        _ code: AuthorizationCode, of provider: ProviderID, for app: App, in realm: Realm,
        from network: ClientNetwork
    ) async throws -> ProviderTokens {
        guard code.hasValidLength else {
            throw AuthorizationRefusal.invalidResponse
        }
        guard let settings = realm.settings(of: provider),
            let clientID = ProviderStart(of: settings, for: app, in: realm)?.webClientID
        else { throw ProviderRefusal.notConfigured }
        try limiter.count(
            .authorizationFlows(from: network), Policy.authorizationFlowLimit, Policy.authorizationFlowWindow,
            ID(realm.project.id))
        // A code can be redeemed once, so everything else that may be unavailable comes first.
        try await verifier.loadKeys(provider, realm)
        return try await servers.redeem(
            CodeRedemption(
                settings: settings, realm: realm.id, clientID: clientID, code: code.code, redirectURI: "",
                codeVerifier: nil, issuer: nil))
    }
}
