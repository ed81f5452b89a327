internal import Encoding
public import Identity

/// The built-in identity providers of an installation. Apple is always one of them, because App Review guideline 4.8
/// can require it.
public struct ProviderList: Sendable {
    let apple: IdentityProvider
    let byID: [ProviderID: IdentityProvider]
    public let supported: SupportedProviders

    public init(apple: IdentityProvider, others: [IdentityProvider]) {
        let all = [apple] + others
        self.apple = apple
        byID = Dictionary(uniqueKeysWithValues: all.map { ($0.value.id, $0) })
        supported = SupportedProviders(all.map(\.value))
    }

    /// The providers of this release.
    public static let live = ProviderList(apple: .apple, others: [.google])
}

extension ProviderList {
    /// Returns the providers with all of their endpoints at simulators, each of which serves the paths of all hosts of
    /// its provider.
    ///
    /// - Parameter baseURL: returns the URL of the provider's simulator, without a slash at the end; `nil` leaves the
    ///   provider unchanged.
    public func served(at baseURL: (ProviderID) -> String?) -> ProviderList {
        func served(_ provider: IdentityProvider) -> IdentityProvider {
            var provider = provider
            if let base = baseURL(provider.value.id) { provider.endpoints = provider.endpoints.moved(to: base) }
            return provider
        }
        return ProviderList(
            apple: served(apple), others: byID.values.filter { $0.value.id != apple.value.id }.map { served($0) })
    }
}

extension SupportedProviders {
    /// The providers of this release.
    public static let live = ProviderList.live.supported
}

/// A built-in identity provider, with its endpoints and with how its ID tokens become identities.
public struct IdentityProvider: Sendable {
    public let value: Provider
    var endpoints: ProviderEndpoints
    /// Checks the nonce of an ID token whose signature, issuer, audience and times are verified, and returns the
    /// identity in the token. Takes the credential that contains the token. Throws ``ProviderRefusal``.
    let identity: @Sendable (VerifiedToken, FederatedCredential, Realm) throws -> VerifiedIdentity

    init(
        _ value: Provider, endpoints: ProviderEndpoints,
        identity: @escaping @Sendable (VerifiedToken, FederatedCredential, Realm) throws -> VerifiedIdentity
    ) {
        self.value = value
        self.endpoints = endpoints
        self.identity = identity
    }
}

/// The URLs of a built-in provider. They are fixed at start: no request, token or discovery document changes them.
struct ProviderEndpoints: Hashable, Sendable {
    let keysURL: String
    /// The URL at which the user signs in.
    let authorizationURL: String
    let codeExchange: CodeExchange

    /// How the gateway exchanges an authorization code for tokens.
    enum CodeExchange: Hashable, Sendable {
        /// With a signed client secret; ``AppleEndpoints`` has the URL.
        case apple
        /// With the client secret in the request body (`client_secret_post`).
        case secretInBody(tokenURL: String)
    }

    var keysAddress: DocumentAddress { DocumentAddress(url: keysURL, isFromConfiguration: false) }

    /// Returns the endpoints with other schemes, hosts and ports.
    ///
    /// - Parameter base: the beginning of all URLs, without a slash at the end.
    func moved(to base: String) -> ProviderEndpoints {
        func moved(_ url: String) -> String {
            // The scheme, an empty text, the host and the path.
            let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            return "\(base)/\(parts.dropFirst(3).joined())"
        }
        let exchange: CodeExchange =
            switch codeExchange {
            case .apple: .apple
            case .secretInBody(let tokenURL): .secretInBody(tokenURL: moved(tokenURL))
            }
        return ProviderEndpoints(
            keysURL: moved(keysURL), authorizationURL: moved(authorizationURL), codeExchange: exchange)
    }
}

extension Verifier {
    /// Verifies the credentials of `providers` and of generic OpenID Connect providers.
    public static func live(
        _ providers: ProviderList = .live, keyCache: JWKSCache, clock: WallClock
    ) -> Verifier {
        Verifier { credential, app, realm in
            guard let settings = realm.settings(of: credential.provider) else {
                throw ProviderRefusal.notConfigured
            }
            guard let idToken = credential.idToken, !idToken.isEmpty else {
                throw credential.accessToken == nil ? ProviderRefusal.credentialMissing : .accessTokenAlone
            }
            guard let provider = providers.byID[credential.provider] else {
                let verifier = try await GenericOpenID.verifier(of: settings, for: app, keyCache: keyCache)
                let token = try await verifier.verify(idToken.expose(), at: clock.now())
                return try GenericOpenID.identity(in: token, of: credential, by: settings)
            }
            let verifier = OIDCVerifier(
                provider: credential.provider, keyCache: keyCache, keysAddress: provider.endpoints.keysAddress,
                issuers: provider.value.issuers, accepting: settings, for: app)
            let token = try await verifier.verify(idToken.expose(), at: clock.now())
            return try provider.identity(token, credential, realm)
        } loadKeys: { provider, realm in
            try await keyCache.load(providers.keysAddress(of: provider, in: realm, from: keyCache), of: provider)
        }
    }
}

extension ProviderList {
    fileprivate func keysAddress(
        of provider: ProviderID, in realm: Realm, from keyCache: JWKSCache
    ) async throws -> DocumentAddress {
        if let builtIn = byID[provider] { return builtIn.endpoints.keysAddress }
        guard let settings = realm.settings(of: provider)?.openID else { throw ProviderRefusal.notConfigured }
        return try await keyCache.address(ofKeysOf: settings.issuer, provider)
    }
}

extension OIDCVerifier {
    /// Verifies the ID tokens of a provider for an app. If the app lists its own client IDs of the provider, only those
    /// are accepted as audiences, even if the list is empty.
    init(
        provider: ProviderID, keyCache: JWKSCache, keysAddress: DocumentAddress, issuers: [String],
        accepting settings: ProviderSettings, for app: App
    ) {
        let audiences = app.audiences(of: settings)
        self.init(
            provider: provider, keyCache: keyCache, keysAddress: keysAddress, issuers: issuers, audiences: audiences,
            authorizedParties: audiences + settings.clientIDs.filter { !audiences.containsExactly($0) })
    }
}
