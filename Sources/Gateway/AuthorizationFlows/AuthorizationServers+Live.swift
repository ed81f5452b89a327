internal import Crypto
internal import Encoding
internal import EventLoop
internal import HTTP
internal import Identity
internal import Postgres
internal import Providers
internal import Storage

extension FlowSecrets {
    /// Generates, hashes and compares the secrets of sign-ins in a browser.
    static let live = FlowSecrets(
        random: { Base64URL.encode(Random.bytes(32)) }, hash: { Digest.sha256(Array($0.utf8)) },
        areEqual: { constantTimeEquals($0, $1) })
}

extension AuthorizationServers {
    /// Sends requests to the authorization servers of providers. Reads their client secrets from the database, and
    /// caches the secrets for ``ConfigurationCache/lifetime``.
    static func live(
        on pool: Pool, under masterKeys: MasterKeys, mode: Mode, send: @escaping TokenRequestSender,
        keyCache: JWKSCache, appleTokens: AppleTokenEndpoint
    ) -> AuthorizationServers {
        let store = ProviderSecretStore(pool: pool)
        let secrets = Cache<ClientSecretName, Secret?>(lifetime: ConfigurationCache.lifetime) { name in
            try await store.secret(of: name.provider, in: name.realm, under: masterKeys)
        }
        return .live(
            of: mode.providers, send: send, keyCache: keyCache, appleTokens: appleTokens,
            appleCredentials: .live(on: pool, under: masterKeys),
            clientSecret: { try await secrets.value(for: ClientSecretName(provider: $0, realm: $1)) },
            allowsPrivateAddresses: mode.acceptsLoopbackIssuers)
    }
}

private struct ClientSecretName: Hashable, Sendable {
    let provider: ProviderID
    let realm: ID<Realm>
}

extension HTTP.Client {
    /// Sends requests to the token endpoints of providers.
    nonisolated var tokenRequestSender: TokenRequestSender {
        { request in
            let response = try await self.send(request)
            return (response.status, response.body)
        }
    }
}
