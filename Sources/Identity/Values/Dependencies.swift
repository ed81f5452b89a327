/// The clock of the process.
public struct WallClock: Sendable {
    public var now: @Sendable () -> Instant

    public init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    public static func fixed(at instant: Instant) -> WallClock { WallClock { instant } }
}

/// Source of unguessable, unique identifiers.
public struct Entropy: Sendable {
    /// 28 random letters and digits.
    public var accountID: @Sendable () -> ID<Account>
    /// A random UUID.
    public var sessionID: @Sendable () -> ID<Session>
    /// The UUID of the session that replaces `session` for the client that generated `key` (see ``ResumptionKey``). A
    /// repeated request gets the same UUID. A client without the key cannot guess this UUID.
    public var successorID: @Sendable (_ session: ID<Session>, _ key: ResumptionKey) -> ID<Session>

    public init(
        accountID: @escaping @Sendable () -> ID<Account>, sessionID: @escaping @Sendable () -> ID<Session>,
        successorID: @escaping @Sendable (_ session: ID<Session>, _ key: ResumptionKey) -> ID<Session>
    ) {
        self.accountID = accountID
        self.sessionID = sessionID
        self.successorID = successorID
    }

    /// The ID of the session that replaces `session`: ``successorID`` if the client sent a key, otherwise a random one.
    func sessionID(replacing session: ID<Session>, for key: ResumptionKey?) -> ID<Session> {
        key.map { successorID(session, $0) } ?? sessionID()
    }
}

/// Hashes and checks passwords outside the event loops. The queues serve all client networks equally, and for expensive
/// hashes of other systems all projects too, so that one network or project cannot delay the others. If the queue is
/// full, both functions throw ``Overloaded`` before they hash anything. If the client is gone, they throw
/// ``ClientGone``; the caller counts this like a wrong password, because the client chose when to go.
public struct PasswordHasher: Sendable {
    public enum Check: Hashable, Sendable {
        case wrong
        /// - Parameter rehashed: a new hash of the password, if the stored hash has another algorithm or cost than new
        ///   hashes have.
        case right(rehashed: String?)
    }

    public var hash: @Sendable (_ password: Secret, _ client: HashingClient) async throws -> String
    /// Without a stored hash, this does the same work and returns ``Check/wrong``, so that the response time does not
    /// reveal whether an account has a password.
    public var check:
        @Sendable (_ password: Secret, _ storedHash: String?, _ client: HashingClient) async throws -> Check

    public init(
        hash: @escaping @Sendable (Secret, HashingClient) async throws -> String,
        check: @escaping @Sendable (Secret, String?, HashingClient) async throws -> Check
    ) {
        self.hash = hash
        self.check = check
    }
}

/// The client on whose behalf a password is hashed.
public struct HashingClient: Sendable {
    public let network: ClientNetwork
    public let project: ID<Project>
    /// Whether the client has disconnected, so that the hash is no longer needed.
    public let isGone: @Sendable () -> Bool

    public init(network: ClientNetwork, project: ID<Project>, isGone: @escaping @Sendable () -> Bool = { false }) {
        self.network = network
        self.project = project
        self.isGone = isGone
    }
}

extension RequestContext {
    func hashingClient(in realm: Realm) -> HashingClient {
        HashingClient(network: network, project: realm.project.id, isGone: isClientGone)
    }
}

/// Checks passwords against a list of breached passwords.
public struct BreachedPasswords: Sendable {
    /// Whether the list contains `password`; `false` if the list cannot be read, or not in time.
    public var contain: @Sendable (_ password: Secret) async -> Bool

    public init(contain: @escaping @Sendable (Secret) async -> Bool) {
        self.contain = contain
    }

    /// Accepts every password.
    public static let none = BreachedPasswords { _ in false }
}

/// The queue of passwords to be hashed is full. A retry may succeed.
public struct Overloaded: Error {
    public init() {}
}

/// The client disconnected before its password was hashed.
public struct ClientGone: Error {
    public init() {}
}

/// The database cannot be reached, or does not respond in time.
public struct StoreUnavailable: Error, CustomStringConvertible {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { "the database is unavailable: \(reason)" }
}
