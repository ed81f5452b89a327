internal import Encoding

/// A step of the sign-in page that a form must not carry, because it contains a secret.
public enum SignInPageStep: Hashable, Codable, Sendable {
    /// The first factor is proven, and the account demands a second one.
    ///
    /// - Parameters:
    ///   - sessionInfo: of the code that was sent to a telephone number; `nil` before one was sent.
    ///   - passkeyOwner: the account, if it has a passkey, which then counts as the second factor.
    case secondFactor(
        pendingCredential: String, factors: [Factor], stays: Bool, sessionInfo: String?, passkeyOwner: ID<Account>?)
    /// An email with a link and a code was sent.
    case emailCode(SignInPageEmail)
    /// A guest has signed in, and decides about the guest account.
    case guest(GuestPreview)
    /// The user has signed in, and the page asks a question before it returns to the app.
    case held(HeldSignIn)

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

/// A provider has proven an identity whose address belongs to another account. The owner of that account can link the
/// identity, after a sign-in that can have several steps.
public struct SignInPageConflict: Hashable, Codable, Sendable {
    /// See ``SignInPageFlow/conflict``.
    public let id: String
    /// `nil` if nothing is linked: a guest only signs in to the account.
    public let pendingToken: String?
    /// The provider of the proven identity.
    public let provider: ProviderID
    /// `nil` if the page must not reveal that an account has the address; see ``isHidden``.
    public let email: String?
    /// The methods of that account; empty if the page must not reveal them.
    public let methods: [ProviderID]

    public init(id: String, pendingToken: String?, provider: ProviderID, email: String?, methods: [ProviderID]) {
        self.id = id
        self.pendingToken = pendingToken
        self.provider = provider
        self.email = email
        self.methods = methods
    }

    /// Whether the page must not reveal that an account has the address of the identity.
    public var isHidden: Bool { email == nil }
}

/// What is stored of a flow between two requests.
public struct SignInPageState: Hashable, Codable, Sendable {
    /// `nil` at the first step, and while the user chooses a method because of ``conflict``.
    public var step: SignInPageStep?
    /// `nil` unless the sign-in is to link an identity.
    public var conflict: SignInPageConflict?

    public init(step: SignInPageStep? = nil, conflict: SignInPageConflict? = nil) {
        self.step = step
        self.conflict = conflict
    }

    /// The conflict that the pages of `flow` show.
    public func conflict(of flow: SignInPageFlow) -> SignInPageConflict? {
        guard let conflict, let shown = flow.conflict, conflict.id.isExactly(shown) else { return nil }
        return conflict
    }
}

/// What is stored of a flow: a provider and a link return with a reference alone.
private struct StoredPageFlow: SealedTokenContent {
    static let purpose = "sign-in page stored flow"
    static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid

    let flow: SignInPageFlow
    let state: SignInPageState
}

/// Stores the steps of flows, encrypted.
public struct SignInPageSteps: Sendable {
    let store: any SignInStepStore
    let sealedTokens: any SealedTokens
    let limiter: RateLimiter
    let secrets: FlowSecrets
    let clock: WallClock

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

    /// Changes the state of a flow. A change that another request makes at the same time is not lost: `change` then
    /// starts from its result.
    ///
    /// - Parameters:
    ///   - end: when the flow ends.
    ///   - hasNewCode: whether the state has a new code, for which all attempts are left.
    /// - Returns: the session of the former step, if the change has replaced this step. The caller ends it.
    /// - Throws: ``TooManyAttempts``, unless the change only forgets what is stored.
    public func update(
        _ flow: SignInPageFlow, until end: Instant, hasNewCode: Bool = false, in realm: Realm,
        from context: RequestContext, _ change: (inout SignInPageState) -> Void = { _ in }
    ) async throws -> ID<Session>? {
        let hash = secrets.hash(flow.id)
        return try await retryingConflicts(pauseMilliseconds: 1...20) { attempt in
            let former = try await store.content(of: hash, in: realm.id)
            var state = opened(former, in: realm)?.flow.state ?? SignInPageState()
            let session = state.step?.session
            change(&state)
            if attempt == 1, former == nil || state != SignInPageState() {
                try limiter.count(
                    .authorizationFlows(from: context.network), Policy.authorizationFlowLimit,
                    Policy.authorizationFlowWindow, ID(realm.project.id))
            }
            let sealed = try sealedTokens.encode(StoredPageFlow(flow: flow, state: state), until: end, in: realm.id)
            try await store.set(
                sealed, of: hash, replacing: former, resetsAttempts: hasNewCode, until: end, in: realm.id)
            return state.step?.session == session ? nil : session?.session
        }
    }

    /// - Returns: an empty state if nothing is stored of the flow, or it has expired.
    public func state(of flow: SignInPageFlow, in realm: Realm) async throws -> SignInPageState {
        try await stored(flow.id, in: realm)?.flow.state ?? SignInPageState()
    }

    /// Returns the flow of a reference, and when it ends.
    ///
    /// - Returns: `nil` if no step of the flow left the page, or if it has expired.
    public func flow(
        of reference: SignInPageFlow.Reference, in realm: Realm
    ) async throws -> (SignInPageFlow, end: Instant)? {
        guard let stored = try await stored(reference.id, in: realm) else { return nil }
        return (reference.flow(from: stored.flow.flow), stored.end)
    }

    /// Counts an attempt to enter the code of the flow, before the code is compared, so that parallel attempts do not
    /// exceed the limit.
    ///
    /// - Returns: the state for the attempt; `nil` if no attempt is left, or nothing is stored of the flow.
    func countAttempt(on flow: SignInPageFlow, in realm: Realm) async throws -> SignInPageState? {
        let content = try await store.countAttempt(
            secrets.hash(flow.id), limit: SignInPageEmail.attemptLimit, in: realm.id)
        return opened(content, in: realm)?.flow.state
    }

    private func stored(_ id: String, in realm: Realm) async throws -> (flow: StoredPageFlow, end: Instant)? {
        opened(try await store.content(of: secrets.hash(id), in: realm.id), in: realm)
    }

    private func opened(_ content: String?, in realm: Realm) -> (flow: StoredPageFlow, end: Instant)? {
        // The content was written by the gateway, so it has expired, or its master key is no longer in use.
        guard let content,
            let (flow, key) = try? sealedTokens.decode(
                StoredPageFlow.self, from: content, at: clock.now(), in: realm.id)
        else { return nil }
        return (flow, key.expiresAt)
    }
}

/// Stores the encrypted states of the sign-in page. A flow is identified by the hash of its ID.
public protocol SignInStepStore: Sendable {
    /// - Parameters:
    ///   - former: the content that the new one was made from; `nil` if there was none.
    ///   - resetsAttempts: whether the attempts are counted from zero again.
    /// - Throws: ``StoreConflict/stale`` if the content is no longer `former`: a write over another one would bring
    ///   back a code that was replaced, with all attempts.
    func set(
        _ content: String, of flow: [UInt8], replacing former: String?, resetsAttempts: Bool, until end: Instant,
        in realm: ID<Realm>
    ) async throws
    func content(of flow: [UInt8], in realm: ID<Realm>) async throws -> String?
    /// Counts an attempt, and returns the content; `nil` if `limit` attempts were counted before.
    func countAttempt(_ flow: [UInt8], limit: Int, in realm: ID<Realm>) async throws -> String?
}
