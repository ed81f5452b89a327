/// Apple's token and revocation endpoints. Every call has a deadline, and throws only if its task is cancelled.
public struct AppleTokenEndpoint: Sendable {
    /// Exchanges a code, which Apple accepts once.
    public var exchange:
        @Sendable (_ code: AuthorizationCode, _ client: AppleClientCredentials) async throws -> AppleExchange
    /// Checks a refresh token. Apple's response shows whether the user still uses the app.
    public var check: @Sendable (_ token: Secret, _ client: AppleClientCredentials) async throws -> AppleResponse
    /// Revokes a refresh token or access token, which disconnects the user from the app.
    public var revoke:
        @Sendable (_ token: Secret, _ type: AppleGrant.TokenType, _ client: AppleClientCredentials) async throws
            -> AppleResponse

    public init(
        exchange: @escaping @Sendable (AuthorizationCode, AppleClientCredentials) async throws -> AppleExchange,
        check: @escaping @Sendable (Secret, AppleClientCredentials) async throws -> AppleResponse,
        revoke: @escaping @Sendable (Secret, AppleGrant.TokenType, AppleClientCredentials) async throws -> AppleResponse
    ) {
        self.exchange = exchange
        self.check = check
        self.revoke = revoke
    }
}

/// The credentials with which a client ID authenticates to Apple.
public struct AppleClientCredentials: Sendable {
    public let clientID: String
    public let key: AppleKeyName
    /// The private key in PEM.
    public let privateKey: Secret

    public init(clientID: String, key: AppleKeyName, privateKey: Secret) {
        self.clientID = clientID
        self.key = key
        self.privateKey = privateKey
    }
}

/// Apple's response, as far as decisions depend on it.
public enum AppleResponse: Hashable, Sendable {
    case accepted
    /// Apple's `error`, with status 400.
    case rejected(AppleErrorCode)
    /// No response, or a response without information about the token.
    ///
    /// - Parameter reason: without any token.
    case unavailable(reason: String)
}

/// The result of the exchange of a code.
public enum AppleExchange: Sendable {
    case tokens(AppleTokens)
    /// As ``AppleResponse/rejected(_:)``.
    case rejected(AppleErrorCode)
    /// As ``AppleResponse/unavailable(reason:)``, or a response without usable tokens.
    case unavailable(reason: String)

    /// The result without the tokens.
    public var response: AppleResponse {
        switch self {
        case .tokens: .accepted
        case .rejected(let code): .rejected(code)
        case .unavailable(let reason): .unavailable(reason: reason)
        }
    }
}

/// The tokens that Apple returned for a code.
public struct AppleTokens: Sendable {
    public let refreshToken: Secret
    /// The `sub` of the response's identity token.
    public let subject: String?
    public let accessToken: Secret?
    /// An unverified identity token.
    public let idToken: Secret?
    /// The lifetime of the access token in seconds.
    public let expiresIn: Int64?

    public init(
        refreshToken: Secret, subject: String?, accessToken: Secret? = nil, idToken: Secret? = nil,
        expiresIn: Int64? = nil
    ) {
        self.refreshToken = refreshToken
        self.subject = subject
        self.accessToken = accessToken
        self.idToken = idToken
        self.expiresIn = expiresIn
    }
}

/// The errors of Apple's token endpoints (TN3107).
public enum AppleErrorCode: String, CaseIterable, Sendable {
    /// In the response to a check, this can also mean that the user has disconnected the app.
    case invalidRequest = "invalid_request"
    /// The team, the private key or its ID is wrong, or they do not belong to the client ID.
    case invalidClient = "invalid_client"
    /// The code or token was used, has expired, was revoked, or belongs to another client ID.
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"

    /// Whether the configuration is wrong, and not the code or token.
    public var isConfigurationFault: Bool { self == .invalidClient || self == .unauthorizedClient }
}

extension AppleResponse {
    /// Whether Apple rejects the client ID or its key.
    public var isConfigurationFault: Bool {
        if case .rejected(let code) = self { code.isConfigurationFault } else { false }
    }
}

extension AppleResponse: CustomStringConvertible {
    public var description: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let code): code.rawValue
        case .unavailable(let reason): reason
        }
    }
}
