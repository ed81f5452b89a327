internal import Crypto
internal import Encoding
public import Identity
internal import JSON

extension Verifier {
    /// Verifies the credentials of `providers` and of generic OpenID Connect providers.
    public static func live(
        _ providers: ProviderList = .live, keyCache: JWKSCache, clock: WallClock
    ) -> Verifier {
        let openID = GenericOpenID(keyCache: keyCache)
        return Verifier { credential, app, realm in
            guard let settings = realm.settings(of: credential.provider) else {
                throw ProviderRefusal.notConfigured
            }
            guard let idToken = credential.idToken, !idToken.isEmpty else {
                throw credential.accessToken == nil ? ProviderRefusal.credentialMissing : .accessTokenAlone
            }
            let input = IDTokenInput(
                idToken: idToken.expose(), credential: credential, settings: settings, app: app,
                policy: realm.policy, now: clock.now())
            if let provider = providers.byID[credential.provider] {
                return try await provider.verify(input, with: keyCache)
            }
            guard credential.provider.isGenericOpenID else { throw ProviderRefusal.notConfigured }
            return try await openID.verify(input)
        } loadKeys: { provider, realm in
            let address: DocumentAddress
            if let builtIn = providers.byID[provider] {
                address = builtIn.endpoints.keysAddress
            } else {
                guard let settings = realm.settings(of: provider)?.openID else {
                    throw ProviderRefusal.notConfigured
                }
                address = try await keyCache.address(ofKeysOf: settings.issuer, provider)
            }
            try await keyCache.load(address, of: provider)
        }
    }
}

extension IdentityProvider {
    fileprivate func verify(_ input: IDTokenInput, with keyCache: JWKSCache) async throws -> VerifiedIdentity {
        let verifier = OIDCVerifier(
            provider: value.id, keyCache: keyCache, keysAddress: endpoints.keysAddress, issuers: value.issuers,
            audiences: input.audiences, authorizedParties: input.authorizedParties)
        return try identity(try await verifier.verify(input.idToken, at: input.now), input)
    }
}

/// An identity token to be verified, with the settings of the project and the app.
struct IDTokenInput: Sendable {
    let idToken: String
    /// The credential that contains the token.
    let credential: FederatedCredential
    let settings: ProviderSettings
    let app: App
    let policy: Policy
    let now: Instant

    /// The accepted audiences. If the app lists its own client IDs, only those are accepted, even if the list is empty.
    var audiences: [String] { app.audiences(of: settings) }

    /// The accepted values of `azp`: the client IDs of the app and of the project.
    var authorizedParties: [String] {
        audiences + settings.clientIDs.filter { !audiences.containsExactly($0) }
    }
}

extension IDTokenInput {
    /// The valid lengths of a nonce, in bytes.
    static let nonceLengths = 1...1024

    /// Checks the nonce of a token of Apple.
    ///
    /// - The token must contain the SHA-256 of the request's nonce in lower-case hexadecimal, as Apple's clients send
    ///   it. Where unhashed nonces are accepted, the token may contain the nonce itself.
    /// - If only the request has a nonce, the token must state that the device does not support nonces. Even then, the
    ///   token is rejected if ``FederatedCredential/requiresNonceInToken`` is set.
    /// - If only the token has a nonce, the token is rejected.
    /// - If both lack a nonce, the policy decides.
    ///
    /// - Returns: the nonce of the token; `nil` if it has none.
    func requireAppleNonce(in claims: IdentityTokenClaims) throws(ProviderRefusal) -> String? {
        let raw = credential.rawNonce
        // On the web, Apple returns the nonce as the page sent it. An unhashed nonce is safe if the gateway issued it.
        let acceptsUnhashed = credential.nonceIsFromGateway || settings.apple?.acceptsUnhashedNonces == true
        try Self.requireLength(raw)
        guard let claim = try Self.nonceClaim(of: claims) else {
            guard raw == nil else {
                // Tokens from old devices state that nonces are not supported.
                guard !credential.requiresNonceInToken, claims.isFalse("nonce_supported") else {
                    throw .nonce(.missingInToken)
                }
                return nil
            }
            guard !policy.requiresNonce else { throw .nonce(.missing) }
            return nil
        }
        guard let raw else { throw .nonce(.missingInRequest) }
        guard Self.isEqual(claim, Self.hashed(raw)) || (acceptsUnhashed && Self.isEqual(claim, raw)) else {
            throw .nonce(.doesNotMatch(seen: Self.form(of: claim, raw: raw)))
        }
        return claim
    }

    /// Checks the nonce of a token of another provider. If the request has a nonce, the token must contain that nonce
    /// or its SHA-256. If only the token has a nonce, the nonce is ignored, because some SDKs add a nonce that the app
    /// does not know.
    func requireNonce(in claims: IdentityTokenClaims) throws(ProviderRefusal) {
        guard let raw = credential.rawNonce else { return }
        try Self.requireLength(raw)
        guard let claim = try Self.nonceClaim(of: claims) else { throw .nonce(.missingInToken) }
        guard Self.isEqual(claim, raw) || Self.isEqual(claim, Self.hashed(raw)) else {
            throw .nonce(.doesNotMatch(seen: Self.form(of: claim, raw: raw)))
        }
    }

    private static func nonceClaim(of claims: IdentityTokenClaims) throws(ProviderRefusal) -> String? {
        guard let value = claims["nonce"] else { return nil }
        guard case .string(let nonce) = value else { throw .claim("nonce") }
        return nonce
    }

    private static func requireLength(_ raw: String?) throws(ProviderRefusal) {
        guard raw.map({ nonceLengths.contains($0.utf8.count) }) ?? true else { throw .nonce(.invalidLength) }
    }

    private static func isEqual(_ claim: String, _ expected: String) -> Bool {
        constantTimeEquals(Array(claim.utf8), Array(expected.utf8))
    }

    private static func hashed(_ raw: String) -> String { Hexadecimal.encode(Digest.sha256(Array(raw.utf8))) }

    /// Returns the form of a nonce that does not match, for the error.
    private static func form(of claim: String, raw: String) -> NonceFault.Form {
        let bytes = claim.utf8
        return if isEqual(claim, raw) {
            .unhashed
        } else if bytes.count == 64, bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
            .sha256Hex
        } else if bytes.count == 43, bytes.allSatisfy(Base64URL.contains) {
            .sha256Base64URL
        } else {
            .other
        }
    }
}
