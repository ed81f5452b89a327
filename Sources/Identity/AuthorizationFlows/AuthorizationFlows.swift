/// Sign-in with a provider in a browser: starts a flow, processes the provider's response, and gives the result to the
/// client that holds the grant and the session ID (see ``FlowResultSecrets``).
///
/// Throws ``AuthorizationRefusal``, ``ContinueURLRefusal``, ``ProviderRefusal``, ``TooManyAttempts`` and
/// ``ProviderUnreachable``.
public struct AuthorizationFlows: Sendable {
    /// The time limit for signing in at the provider.
    public static let lifetime: Duration = .seconds(600)
    /// How long the client can exchange the grant of a completed flow for the result.
    public static let grantLifetime: Duration = .seconds(60)
    /// How long Apple's refresh token is kept if no sign-in uses it. By then every grant and pending token that could
    /// use it has expired, even if the clocks of replicas differ by up to 300 seconds.
    static let unusedTokenLifetime = grantLifetime + FederatedMethod.pendingLifetime + .seconds(300)

    /// Finds the realm and the app of a flow when the provider's response arrives.
    public struct ConfigurationLookup: Sendable {
        public var realm: @Sendable (ID<Realm>) async throws -> Realm?
        public var app: @Sendable (ID<App>, ID<Project>) async throws -> App?

        public init(
            realm: @escaping @Sendable (ID<Realm>) async throws -> Realm?,
            app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?
        ) {
            self.realm = realm
            self.app = app
        }
    }

    /// A step of a flow. The raw value is the label `event` of `sekisho_authorization_flows_total`.
    public enum Event: String, CaseIterable, Sendable {
        case started
        /// The flow is complete, and its grant was issued.
        case granted
        case cancelled
        case rejected
        /// The provider could not be reached.
        case unavailable
    }

    let store: any AuthorizationFlowStore
    let servers: AuthorizationServers
    let verifier: Verifier
    let sealedTokens: any SealedTokens
    let appleSealing: AppleGrantSealing
    let configuration: ConfigurationLookup
    let limiter: RateLimiter
    let secrets: FlowSecrets
    let clock: WallClock
    let countEvent: @Sendable (Event) -> Void

    public init(
        store: any AuthorizationFlowStore, servers: AuthorizationServers, verifier: Verifier,
        sealedTokens: any SealedTokens, appleSealing: AppleGrantSealing, configuration: ConfigurationLookup,
        limiter: RateLimiter, secrets: FlowSecrets, clock: WallClock, countEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.store = store
        self.servers = servers
        self.verifier = verifier
        self.sealedTokens = sealedTokens
        self.appleSealing = appleSealing
        self.configuration = configuration
        self.limiter = limiter
        self.secrets = secrets
        self.clock = clock
        self.countEvent = countEvent
    }
}
