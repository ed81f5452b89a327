/// A step of the sign-in page that a form must not carry, because it contains a secret.
public enum SignInPageStep: Hashable, Codable, Sendable {
    /// The first factor is proven, and the account demands a second one.
    ///
    /// - Parameters:
    ///   - sessionInfo: of the code that was sent to a telephone number; `nil` before one was sent.
    ///   - passkeyOwner: the account, if it has a passkey, which then counts as the second factor.
    case secondFactor(
        pendingCredential: String, factors: [Factor], stays: Bool, sessionInfo: String?, passkeyOwner: ID<Account>?)
    /// A provider has proven an identity whose address belongs to another account. Its owner can link the identity.
    ///
    /// - Parameters:
    ///   - provider: of the proven identity.
    ///   - email: `nil` if the page must not reveal that an account has the address.
    ///   - methods: the methods of that account; empty if the page must not reveal them.
    case conflict(pendingToken: String, provider: ProviderID, email: String?, methods: [ProviderID])

    /// The user has signed in with a password, and can create a passkey before the page returns to the app.
    case passkeyOffer(PasskeyOffer)

    public struct PasskeyOffer: Hashable, Codable, Sendable {
        public let account: ID<Account>
        /// The session on the page.
        public let session: ID<Session>
        public let isNewAccount: Bool
        public let stays: Bool

        public init(account: ID<Account>, session: ID<Session>, isNewAccount: Bool, stays: Bool) {
            self.account = account
            self.session = session
            self.isNewAccount = isNewAccount
            self.stays = stays
        }
    }

    /// A factor that the user can choose.
    public struct Factor: Hashable, Codable, Sendable {
        public let id: String
        public let kind: Identity.Factor.Kind
        /// The name that the user gave to it, or the last digits of the number.
        public let name: String?

        public init(_ factor: Identity.Factor) {
            id = factor.id.rawValue
            kind = factor.kind
            name = factor.phoneNumber?.masked ?? factor.displayName
        }
    }
}

/// What is stored of a flow: a provider returns with its ID alone.
private struct StoredPageFlow: SealedTokenContent {
    static let purpose = "sign-in page stored flow"
    static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid

    let flow: SignInPageFlow
    let step: SignInPageStep?
}

/// Stores the steps of flows, encrypted.
public struct SignInPageSteps: Sendable {
    private let store: any SignInStepStore
    private let sealedTokens: any SealedTokens
    private let limiter: RateLimiter
    private let secrets: FlowSecrets
    private let clock: WallClock

    public init(
        store: any SignInStepStore, sealedTokens: any SealedTokens, limiter: RateLimiter, secrets: FlowSecrets,
        clock: WallClock
    ) {
        self.store = store
        self.sealedTokens = sealedTokens
        self.limiter = limiter
        self.secrets = secrets
        self.clock = clock
    }

    /// Replaces the step of a flow.
    ///
    /// - Throws: ``TooManyAttempts``.
    public func set(
        _ step: SignInPageStep?, of flow: SignInPageFlow, in realm: Realm, from context: RequestContext
    ) async throws {
        try limiter.count(
            .authorizationFlows(from: context.network), Policy.authorizationFlowLimit, Policy.authorizationFlowWindow,
            ID(realm.project.id))
        let end = clock.now() + SignInPageFlow.lifetime
        let stored = StoredPageFlow(flow: flow, step: step)
        let sealed = try sealedTokens.encode(stored, until: end, in: realm.id)
        try await store.set(sealed, of: secrets.hash(flow.id), until: end, in: realm.id)
    }

    /// - Returns: `nil` if the flow has no step, or the step has expired.
    public func step(of flow: SignInPageFlow, in realm: Realm) async throws -> SignInPageStep? {
        try await stored(flow.id, in: realm)?.step
    }

    /// Returns the flow with an ID.
    ///
    /// - Returns: `nil` if no step of the flow left the page, or if it has expired.
    public func flow(_ id: String, in realm: Realm) async throws -> SignInPageFlow? {
        try await stored(id, in: realm)?.flow
    }

    private func stored(_ id: String, in realm: Realm) async throws -> StoredPageFlow? {
        guard let sealed = try await store.content(of: secrets.hash(id), in: realm.id) else { return nil }
        return try? sealedTokens.decode(StoredPageFlow.self, from: sealed, at: clock.now(), in: realm.id).0
    }

    public func remove(of flow: SignInPageFlow, in realm: Realm) async throws {
        try await store.remove(secrets.hash(flow.id), in: realm.id)
    }
}

/// Stores the encrypted steps of the sign-in page. A flow is identified by the hash of its ID.
public protocol SignInStepStore: Sendable {
    func set(_ content: String, of flow: [UInt8], until end: Instant, in realm: ID<Realm>) async throws
    func content(of flow: [UInt8], in realm: ID<Realm>) async throws -> String?
    func remove(_ flow: [UInt8], in realm: ID<Realm>) async throws
}
