internal import Crypto
internal import Encoding
public import Identity
internal import JSON

extension Verifier {
    /// Verifies the credentials of all supported providers.
    public static func live(
        endpoints: ProviderEndpoints = .live, keyCache: JWKSCache, clock: WallClock
    ) -> Verifier {
        let apple = Apple(endpoint: endpoints.apple, keyCache: keyCache)
        let google = Google(endpoint: endpoints.google, keyCache: keyCache)
        let openID = GenericOpenID(keyCache: keyCache)
        return Verifier { credential, app, project in
            guard let settings = project.settings(of: credential.provider) else {
                throw ProviderRefusal.notConfigured
            }
            guard let idToken = credential.idToken, !idToken.isEmpty else {
                throw credential.accessToken == nil ? ProviderRefusal.credentialMissing : .accessTokenAlone
            }
            let input = IDTokenInput(
                idToken: idToken.expose(), credential: credential, settings: settings, app: app,
                policy: project.policy, now: clock.now())
            return switch credential.provider {
            case .apple: try await apple.verify(input)
            case .google: try await google.verify(input)
            case let other where other.isGenericOpenID: try await openID.verify(input)
            default: throw ProviderRefusal.notConfigured
            }
        } loadKeys: { provider, project in
            let address: DocumentAddress
            switch provider {
            case .apple: address = endpoints.apple.keysAddress
            case .google: address = endpoints.google.keysAddress
            default:
                guard let settings = project.settings(of: provider)?.openID else {
                    throw ProviderRefusal.notConfigured
                }
                address = try await keyCache.address(ofKeysOf: settings.issuer, provider)
            }
            try await keyCache.load(address, of: provider)
        }
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

/// The issuers and key addresses of Apple and Google. They are fixed at start: no request, token or discovery document
/// changes them.
public struct ProviderEndpoints: Sendable {
    public struct Issuer: Sendable {
        /// The accepted values of `iss`.
        public let issuers: [String]
        public let keysAddress: DocumentAddress

        public init(issuers: [String], keysURL: String) {
            self.issuers = issuers
            keysAddress = DocumentAddress(url: keysURL, isFromConfiguration: false)
        }
    }

    public let apple: Issuer
    public let google: Issuer

    public init(apple: Issuer, google: Issuer) {
        self.apple = apple
        self.google = google
    }

    public static let live = ProviderEndpoints(
        apple: Issuer(issuers: ["https://appleid.apple.com"], keysURL: "https://appleid.apple.com/auth/keys"),
        google: Issuer(
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            keysURL: "https://www.googleapis.com/oauth2/v3/certs"))
}
