/// The one clock of the process.
public struct WallClock: Sendable {
    public var now: @Sendable () -> Instant

    public init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    public static func fixed(at instant: Instant) -> WallClock { WallClock { instant } }
}

/// Where names come from that nobody may guess or see twice.
public struct Entropy: Sendable {
    /// 28 random letters and digits.
    public var accountID: @Sendable () -> ID<Account>
    /// A random UUID.
    public var sessionID: @Sendable () -> ID<Session>

    public init(accountID: @escaping @Sendable () -> ID<Account>, sessionID: @escaping @Sendable () -> ID<Session>) {
        self.accountID = accountID
        self.sessionID = sessionID
    }
}

/// Hashes passwords away from the event loops. Both throw ``Overloaded`` before any work is done.
public struct PasswordHasher: Sendable {
    public enum Verdict: Hashable, Sendable {
        case wrong
        /// - Parameter rehashed: the same password under today's cost, if the stored hash is of another.
        case right(rehashed: String?)
    }

    public var hash: @Sendable (_ password: Secret, _ network: ClientNetwork) async throws -> String
    /// Without a stored hash it does the same work and says ``Verdict/wrong``, so that nobody can tell the two apart.
    public var check:
        @Sendable (_ password: Secret, _ storedHash: String?, _ network: ClientNetwork) async throws -> Verdict

    public init(
        hash: @escaping @Sendable (Secret, ClientNetwork) async throws -> String,
        check: @escaping @Sendable (Secret, String?, ClientNetwork) async throws -> Verdict
    ) {
        self.hash = hash
        self.check = check
    }
}

/// Knows passwords that have been in a data breach.
public struct BreachedPasswords: Sendable {
    /// Whether `password` is one of them; `false` as well if that cannot be found out in time.
    public var contain: @Sendable (_ password: Secret) async -> Bool

    public init(contain: @escaping @Sendable (Secret) async -> Bool) {
        self.contain = contain
    }

    /// Knows none.
    public static let none = BreachedPasswords { _ in false }
}

/// Decides which credentials of other providers are believed.
public struct Verifier: Sendable {
    /// Asks nobody inside a database transaction. Throws ``ProviderRefusal``, or ``ProviderUnreachable`` where the
    /// provider could not be asked.
    public var verify:
        @Sendable (_ credential: FederatedCredential, _ app: App, _ project: Project) async throws -> VerifiedIdentity
    /// Passes if the app may sign people in with that provider at all.
    public var admit: @Sendable (_ provider: ProviderID, _ app: App, _ project: Project) throws(ProviderRefusal) -> Void

    public init(
        verify: @escaping @Sendable (FederatedCredential, App, Project) async throws -> VerifiedIdentity,
        admit: @escaping @Sendable (ProviderID, App, Project) throws(ProviderRefusal) -> Void =
            LoginServices.require(_:for:in:)
    ) {
        self.verify = verify
        self.admit = admit
    }
}

/// Mints and reads our own tokens. Reading throws ``TokenRefusal``.
public protocol TokenAuthority: Sendable {
    func idToken(for account: Account, session: Session, in project: Project, at now: Instant) async throws -> String
    func refreshToken(_ claim: RefreshClaim, in project: Project) async throws -> String
    /// The claims of `idToken`, with times and an issuer of its own, so that neither is ever taken for the other.
    func sessionCookie(from idToken: String, lasting lifetime: Duration, in project: Project, at now: Instant)
        async throws -> String
    func read(idToken: String, in project: Project, at now: Instant) async throws -> IDTokenClaim
    func read(refreshToken: String, in project: Project) async throws -> RefreshClaim
}

/// Too much work is waiting: nothing was done, and the same call may succeed in a moment.
public struct Overloaded: Error {
    public init() {}
}

/// The database cannot be reached or does not answer in time.
public struct StoreUnavailable: Error {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}
