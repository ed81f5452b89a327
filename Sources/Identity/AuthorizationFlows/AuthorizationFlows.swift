/// Sign-in with a provider in a browser: starts a flow, processes the provider's response, and gives the result to the
/// client that holds the grant and the session ID.
///
/// Throws ``AuthorizationRefusal``, ``ContinueURLRefusal``, ``ProviderRefusal``, ``TooManyAttempts`` and
/// ``ProviderUnreachable``.
public struct AuthorizationFlows: Sendable {
    /// The time in which the user has to sign in at the provider.
    public static let lifetime: Duration = .seconds(600)
    public static let grantLifetime: Duration = .seconds(60)
    /// How long a refresh token of Apple waits for a sign-in. After this time, no grant and no pending token can lead to a
    /// sign-in, even if the clocks of replicas differ.
    static let unusedTokenLifetime = grantLifetime + FederatedSignIn.pendingLifetime + .seconds(300)

    /// Finds the realm and the app of a flow that comes back from a provider.
    public struct Directory: Sendable {
        public var realm: @Sendable (ID<Realm>) async throws -> Project?
        public var app: @Sendable (ID<App>, ID<Project>) async throws -> App?

        public init(
            realm: @escaping @Sendable (ID<Realm>) async throws -> Project?,
            app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?
        ) {
            self.realm = realm
            self.app = app
        }
    }

    /// What happened to flows, for metrics.
    public enum Event: String, CaseIterable, Sendable {
        case started, granted, cancelled, rejected, unavailable
    }

    let store: any AuthorizationFlowStore
    let servers: AuthorizationServers
    let verifier: Verifier
    let sealedTokens: any SealedTokens
    let appleSealing: AppleGrantSealing
    let directory: Directory
    let limiter: RateLimiter
    let secrets: FlowSecrets
    let clock: WallClock
    let note: @Sendable (Event) -> Void

    public init(
        store: any AuthorizationFlowStore, servers: AuthorizationServers, verifier: Verifier,
        sealedTokens: any SealedTokens, appleSealing: AppleGrantSealing, directory: Directory, limiter: RateLimiter,
        secrets: FlowSecrets, clock: WallClock, note: @escaping @Sendable (Event) -> Void
    ) {
        self.store = store
        self.servers = servers
        self.verifier = verifier
        self.sealedTokens = sealedTokens
        self.appleSealing = appleSealing
        self.directory = directory
        self.limiter = limiter
        self.secrets = secrets
        self.clock = clock
        self.note = note
    }
}
