public import Encoding

/// The authorization and token endpoints of all supported providers (RFC 6749 §3).
public struct AuthorizationServers: Sendable {
    /// Returns the URL at which the user signs in. Throws ``ProviderRefusal``, or ``ProviderUnreachable`` if the
    /// provider's configuration has to be fetched and cannot be.
    public var authorizationURL: @Sendable (AuthorizationRequest) async throws -> String
    /// Exchanges a code within a deadline. Throws ``AuthorizationRefusal``, ``ProviderRefusal``, or
    /// ``ProviderUnreachable`` if the provider gave no usable response; the code may then still be valid.
    public var redeem: @Sendable (CodeRedemption) async throws -> ProviderTokens

    public init(
        authorizationURL: @escaping @Sendable (AuthorizationRequest) async throws -> String,
        redeem: @escaping @Sendable (CodeRedemption) async throws -> ProviderTokens
    ) {
        self.authorizationURL = authorizationURL
        self.redeem = redeem
    }
}

/// The values for the URL at which the user signs in (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable {
    public let provider: Provider
    public let settings: ProviderSettings
    public let clientID: String
    public let redirectURI: String
    public let state: String
    public let nonce: String
    /// The PKCE code challenge with the method S256; `nil` for a provider without PKCE.
    public let codeChallenge: String?
    public let scopes: [String]
    /// Parameters that the client chose. They never replace a parameter that the gateway sets.
    public let customParameters: [ByteText: String]
}

/// The values for the exchange of a code for tokens (RFC 6749 §4.1.3).
public struct CodeRedemption: Sendable {
    public let settings: ProviderSettings
    public let realm: ID<Realm>
    public let clientID: String
    public let code: Secret
    public let redirectURI: String
    /// The PKCE code verifier; `nil` for a provider without PKCE.
    public let codeVerifier: String?
    /// The parameter `iss` of the response (RFC 9207), which prevents a provider from receiving another provider's
    /// code.
    public let issuer: String?
}

/// The parameters of a provider's response, from the query or from a form.
public struct AuthorizationResponse: Sendable, Codable {
    public let code: String?
    public let issuer: String?
    public let error: String?
    /// The name in Apple's parameter `user`, which is unsigned and sent only once.
    public let name: PersonName?

    /// The maximum length of a code in bytes.
    static let codeLengthLimit = 4096

    public init(code: String?, issuer: String?, error: String?, name: PersonName?) {
        self.code = code
        self.issuer = issuer
        self.error = error
        self.name = name
    }

    /// Whether the error is the one that OAuth 2.0 defines, or that Apple uses, if the user cancelled.
    var isCancelled: Bool { error == "access_denied" || error == "user_cancelled_authorize" }
}

extension AuthorizationResponse: SealedTokenContent {
    public static let purpose = "authorization-response"
}

/// Source of the secrets of flows.
public struct FlowSecrets: Sendable {
    /// Returns 43 random characters of base64url: 256 bits.
    public var random: @Sendable () -> String
    /// Returns the SHA-256 of a text.
    public var hash: @Sendable (String) -> [UInt8]
    /// Compares in constant time.
    public var areEqual: @Sendable ([UInt8], [UInt8]) -> Bool

    public init(
        random: @escaping @Sendable () -> String, hash: @escaping @Sendable (String) -> [UInt8],
        areEqual: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) {
        self.random = random
        self.hash = hash
        self.areEqual = areEqual
    }
}
