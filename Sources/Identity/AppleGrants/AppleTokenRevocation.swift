/// Revokes a token of Apple for the owner of an account, as Firebase's `accounts:revokeToken` does. The account, its
/// identity and its sessions stay.
public struct AppleTokenRevocation: Sendable {
    /// After this time, a worker revokes a token that the request could not.
    private static let lease: Duration = .seconds(30)

    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let clock: WallClock

    public init(
        store: any AppleGrantStore, endpoint: AppleTokenEndpoint, credentials: AppleCredentialsLookup,
        sealing: AppleGrantSealing, clock: WallClock
    ) {
        self.store = store
        self.endpoint = endpoint
        self.credentials = credentials
        self.sealing = sealing
        self.clock = clock
    }

    public struct Request: Sendable {
        public let provider: ProviderID
        public let tokenType: AppleGrant.TokenType
        public let token: Secret
        /// Of the web flow that issued a code.
        public let redirectURI: String?

        public init(provider: ProviderID, tokenType: AppleGrant.TokenType, token: Secret, redirectURI: String?) {
            self.provider = provider
            self.tokenType = tokenType
            self.token = token
            self.redirectURI = redirectURI
        }
    }

    /// A code is exchanged first, because Apple revokes only tokens. From then on a worker revokes the token, if this
    /// request cannot.
    ///
    /// - Throws: ``AppleRevocationRefusal``; ``ProviderUnreachable`` if Apple does not answer or rejects the project's key.
    public func revoke(_ request: Request, of caller: Caller, for app: App, in project: Project) async throws {
        guard request.provider == .apple, let settings = project.settings(of: .apple),
            let identity = caller.account.identities.first(where: { $0.provider == .apple })
        else { throw AppleRevocationRefusal.noAppleIdentity }
        let key = AppleClientKey(realm: project.realm, clientID: app.clientID(of: settings, for: identity))
        guard let client = try await credentials.find(key) else { throw Self.unreachable("no private key") }
        let (token, type) = try await revocable(request, of: identity, client)
        let (id, now) = (sealing.newID(), clock.now())
        let queued = OwnRevocation(
            id: id, subject: identity.subject, clientID: client.clientID, tokenType: type,
            token: try sealing.seal(token, id), requestedAt: now, dueAt: now + Self.lease)
        try await store.revoke(queued, in: project.realm)
        switch try await endpoint.revoke(token, type, client) {
        case .accepted: try await store.remove(AppleGrant(queued, in: project.realm))
        case .refused(let code) where code.concernsClient: throw Self.unreachable(code.rawValue)
        case .refused, .unavailable: break
        }
    }

    private func revocable(
        _ request: Request, of identity: LinkedIdentity, _ client: AppleClientCredentials
    ) async throws -> (Secret, AppleGrant.TokenType) {
        guard request.tokenType == .code else { return (request.token, request.tokenType) }
        let code = AuthorizationCode(code: request.token, redirectURI: request.redirectURI)
        switch try await endpoint.exchange(code, client) {
        case .tokens(let refreshToken, let subject):
            guard subject == identity.subject else { throw AppleRevocationRefusal.otherPerson }
            return (refreshToken, .refreshToken)
        case .failed(.refused(let error)) where !error.concernsClient:
            throw AppleRevocationRefusal.rejected(error)
        case .failed(let answer): throw Self.unreachable("\(answer)")
        }
    }

    private static func unreachable(_ reason: String) -> ProviderUnreachable {
        ProviderUnreachable(provider: .apple, reason: reason)
    }
}

extension App {
    /// The client ID that issued the app's codes: its own if the provider lists it, otherwise that of the latest sign-in.
    /// Of several bundle IDs, that of the latest sign-in comes first.
    func clientID(of settings: ProviderSettings, for identity: LinkedIdentity) -> String {
        let bundleIDs = self.settings.bundleIDs
        let own =
            bundleIDs.filter { $0 == identity.audience } + bundleIDs
            + (self.settings.clientIDs[ProviderID.apple.rawValue] ?? [])
        return own.first(where: settings.clientIDs.contains) ?? identity.audience ?? settings.clientIDs.first ?? ""
    }
}

extension AppleGrant {
    fileprivate init(_ revocation: OwnRevocation, in realm: ID<Realm>) {
        self.init(
            id: revocation.id, realm: realm, subject: nil, clientID: revocation.clientID, state: .revoking,
            tokenType: revocation.tokenType, token: revocation.token)
    }
}

/// Why a token was not revoked.
public enum AppleRevocationRefusal: Refusal, Hashable {
    /// The provider is another one or not configured, or the account has no identity of it.
    case noAppleIdentity
    /// The code belongs to another person.
    case otherPerson
    case rejected(AppleErrorCode)

    public var code: ErrorCode {
        switch self {
        case .noAppleIdentity: .invalidProviderID
        case .otherPerson, .rejected: .invalidIdpResponse
        }
    }

    public var detail: String? {
        switch self {
        case .noAppleIdentity: "The account has no identity of apple.com."
        case .otherPerson: "The code belongs to another Apple Account."
        case .rejected(let error): "Apple rejects the code: \(error.rawValue)."
        }
    }
}
