internal import Encoding

/// Revokes an Apple token for the owner of an account, as Firebase's `accounts:revokeToken` does. The account, its
/// identity and its sessions stay.
public struct AppleTokenRevocation: Sendable {
    /// How long after the request a worker revokes a token that the request could not revoke.
    private static let workerDelay: Duration = .seconds(30)

    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(
        store: any AppleGrantStore, endpoint: AppleTokenEndpoint, credentials: AppleCredentialsLookup,
        sealing: AppleGrantSealing, limiter: RateLimiter, clock: WallClock
    ) {
        self.store = store
        self.endpoint = endpoint
        self.credentials = credentials
        self.sealing = sealing
        self.limiter = limiter
        self.clock = clock
    }

    public struct Request: Sendable {
        public let provider: ProviderID
        public let tokenType: AppleGrant.TokenType
        public let token: Secret
        /// The redirect URI of the web flow that issued the code.
        public let redirectURI: String?

        public init(provider: ProviderID, tokenType: AppleGrant.TokenType, token: Secret, redirectURI: String?) {
            self.provider = provider
            self.tokenType = tokenType
            self.token = token
            self.redirectURI = redirectURI
        }
    }

    /// A code is exchanged first, because Apple revokes only tokens. Code and token are stored before they are used, so
    /// that a worker continues after a crash.
    ///
    /// Apple may not respond, or may reject the gateway's key. If this happens at the revocation, the call succeeds and
    /// a worker tries again. If it happens at the exchange of a code, the call throws.
    ///
    /// - Throws: ``AppleRevocationRefusal``, ``TooManyAttempts``; ``ProviderUnreachable`` if the project has no usable
    ///   private key, or if a code cannot be exchanged because Apple does not respond or rejects the key. After any of
    ///   these errors, neither the code nor the token stays stored.
    public func revoke(
        _ request: Request, of caller: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws {
        guard request.provider == .apple, let settings = realm.settings(of: .apple),
            let identity = caller.account.identity(of: .apple)
        else { throw AppleRevocationRefusal.noAppleIdentity }
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let reference = AppleClientReference(
            realm: realm.id, clientID: app.revocationClientID(in: settings, for: identity))
        let client: AppleClientCredentials
        do {
            client = try await credentials.required(reference)
        } catch let fault as AppleKeyFault {
            throw Self.unreachable(fault.reason)
        }
        let (id, now) = (sealing.newID(), clock.now())
        let isCode = request.tokenType == .code
        let revocation = RevocationRequest(
            id: id, account: caller.account.id, session: caller.session.id, subject: identity.subject,
            clientID: client.clientID, tokenType: request.tokenType, token: try sealing.seal(request.token, id),
            redirectURI: request.redirectURI, requestedAt: now, dueAt: now + Self.workerDelay,
            expiresAt: isCode ? now + AuthorizationCode.lifetime : nil, trace: context.trace)
        try await store.insert(revocation, in: realm.id)
        let token = isCode ? try await exchange(request, for: revocation, client, realm.id) : request.token
        let type = isCode ? AppleGrant.TokenType.refreshToken : request.tokenType
        let pending = AppleGrant(revocation, type, in: realm.id)
        let response = try await endpoint.revoke(token, type, client)
        if case .rejected(let error) = response, !error.isConfigurationFault {
            try await store.remove(pending)
            throw AppleRevocationRefusal.rejected(request.tokenType, error)
        }
        try await store.applyRevocation(revocation, in: realm.id)
        if response == .accepted { try await store.remove(pending) }
    }

    /// Exchanges the code for a refresh token, and stores the refresh token in place of the code.
    private func exchange(
        _ request: Request, for revocation: RevocationRequest, _ client: AppleClientCredentials, _ realm: ID<Realm>
    ) async throws -> Secret {
        let code = AuthorizationCode(code: request.token, redirectURI: request.redirectURI)
        let exchange = try await endpoint.exchange(code, client)
        if case .tokens(let tokens) = exchange, tokens.subject == revocation.subject {
            try await store.replaceCode(revocation.id, by: try sealing.seal(tokens.refreshToken, revocation.id))
            return tokens.refreshToken
        }
        try await store.remove(AppleGrant(revocation, .code, in: realm))
        switch exchange {
        case .tokens: throw AppleRevocationRefusal.otherUser
        case .rejected(let error) where !error.isConfigurationFault:
            throw AppleRevocationRefusal.rejected(.code, error)
        case .rejected, .unavailable: throw Self.unreachable("\(exchange.response)")
        }
    }

    private static func unreachable(_ reason: String) -> ProviderUnreachable {
        ProviderUnreachable(provider: .apple, reason: reason)
    }
}

extension App {
    /// The client ID to which Apple most likely issued the code or token. The first of these that exists:
    /// 1. the client ID of the latest sign-in, if the app lists it and the project accepts it
    /// 2. the first client ID that the app lists and the project accepts, bundle IDs before Services IDs
    /// 3. the client ID of the latest sign-in
    /// 4. the project's first client ID
    func revocationClientID(in settings: ProviderSettings, for identity: LinkedIdentity) -> String {
        let accepted = (self.settings.bundleIDs + (self.settings.clientIDs[ByteText(ProviderID.apple.rawValue)] ?? []))
            .filter(settings.clientIDs.contains)
        return accepted.first { $0 == identity.audience }
            ?? accepted.first ?? identity.audience ?? settings.clientIDs.first ?? ""
    }
}

extension AppleGrant {
    fileprivate init(_ revocation: RevocationRequest, _ type: TokenType, in realm: ID<Realm>) {
        self.init(
            id: revocation.id, realm: realm, subject: revocation.subject, clientID: revocation.clientID,
            state: .revoking, tokenType: type, token: revocation.token)
    }
}

/// Why a token was not revoked.
public enum AppleRevocationRefusal: Refusal, Hashable {
    /// The provider is not Apple, Apple is not configured, or the account has no Apple identity.
    case noAppleIdentity
    /// The code belongs to another user.
    case otherUser
    case rejected(AppleGrant.TokenType, AppleErrorCode)

    public var code: ErrorCode {
        switch self {
        case .noAppleIdentity: .invalidProviderID
        case .otherUser, .rejected: .invalidIdpResponse
        }
    }

    public var detail: String? {
        switch self {
        case .noAppleIdentity: "providerId must be apple.com, configured in the project and linked to the account."
        case .otherUser: "The code belongs to another Apple Account."
        case .rejected(let type, let error): "Apple rejects the \(type == .code ? "code" : "token"): \(error.rawValue)."
        }
    }
}
