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

/// Hashes and checks passwords outside the event loops. If the queue is full, both functions throw ``Overloaded``
/// before they hash anything. The queue serves all client networks equally, so that one network cannot delay the
/// others.
public struct PasswordHasher: Sendable {
    public enum Check: Hashable, Sendable {
        case wrong
        /// - Parameter rehashed: a new hash of the password, if the stored hash has another algorithm or cost than new
        ///   hashes have.
        case right(rehashed: String?)
    }

    public var hash: @Sendable (_ password: Secret, _ network: ClientNetwork) async throws -> String
    /// Without a stored hash, this does the same work and returns ``Check/wrong``, so that the response time does not
    /// reveal whether an account has a password.
    public var check:
        @Sendable (_ password: Secret, _ storedHash: String?, _ network: ClientNetwork) async throws -> Check

    public init(
        hash: @escaping @Sendable (Secret, ClientNetwork) async throws -> String,
        check: @escaping @Sendable (Secret, String?, ClientNetwork) async throws -> Check
    ) {
        self.hash = hash
        self.check = check
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

/// The database cannot be reached, or does not respond in time.
public struct StoreUnavailable: Error {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}
