/// What is counted before it is allowed again.
public enum LimitKey: Hashable, Sendable {
    /// What is counted, whoever's and from wherever.
    public enum Kind: String, Sendable, CaseIterable {
        case passwordFailures, anyPasswordFailures, addressPasswordFailures, unknownNetworkAttempts, signUps, nonces
        case email, emailFromNetwork, firstReset, anyEmail, credentialChanges
    }

    /// Wrong passwords for one address from one place: nobody can lock out somebody elsewhere.
    case passwordFailures(EmailAddress, from: ClientNetwork)
    /// Wrong passwords from one place, whoever's.
    case anyPasswordFailures(from: ClientNetwork)
    /// Wrong passwords for one address from all places together.
    case addressPasswordFailures(EmailAddress)
    /// Attempts at an address, after too many of those, from places where its account had no session.
    case unknownNetworkAttempts(EmailAddress)
    case signUps(from: ClientNetwork)
    /// Nonces issued to one place.
    case nonces(from: ClientNetwork)
    /// Mail of one purpose to one address, from all clients together.
    case email(OOBCode.Purpose, to: EmailAddress)
    /// Mail of one purpose to one address that one place asks for.
    case emailFromNetwork(OOBCode.Purpose, to: EmailAddress, from: ClientNetwork)
    /// The first mail that resets the password of one address.
    case firstReset(to: EmailAddress)
    /// Mail of one purpose asked for from one place, to whatever address.
    case anyEmail(OOBCode.Purpose, from: ClientNetwork)
    /// Changes of one account's credentials by its own clients, from wherever.
    case credentialChanges(ID<Account>)

    public var kind: Kind {
        switch self {
        case .passwordFailures: .passwordFailures
        case .anyPasswordFailures: .anyPasswordFailures
        case .addressPasswordFailures: .addressPasswordFailures
        case .unknownNetworkAttempts: .unknownNetworkAttempts
        case .signUps: .signUps
        case .nonces: .nonces
        case .email: .email
        case .emailFromNetwork: .emailFromNetwork
        case .firstReset: .firstReset
        case .anyEmail: .anyEmail
        case .credentialChanges: .credentialChanges
        }
    }

    /// A counter with a limit of its own.
    public struct Scope: Hashable, Sendable {
        /// Whose and from where; no part has a NUL in it.
        public let names: [String]
        /// The multiple of the limit that it may reach.
        public let factor: Int
    }

    /// What is counted together, from the widest to the narrowest: over the limit of one of them is over the limit.
    public var scopes: [Scope] {
        switch self {
        case .passwordFailures(let email, let network): Self.scopes(of: network, [email.rawValue])
        case .anyPasswordFailures(let network), .signUps(let network), .nonces(let network):
            Self.scopes(of: network, [])
        case .anyEmail(let purpose, let network): Self.scopes(of: network, [purpose.rawValue])
        case .addressPasswordFailures(let email), .unknownNetworkAttempts(let email), .firstReset(let email):
            [Scope(names: [email.rawValue], factor: 1)]
        case .email(let purpose, let email): [Scope(names: [purpose.rawValue, email.rawValue], factor: 1)]
        // One mailbox has one owner, so a wide network needs no more than a narrow one.
        case .emailFromNetwork(let purpose, let email, let network):
            [Scope(names: [purpose.rawValue, email.rawValue, network.widest.prefix], factor: 1)]
        case .credentialChanges(let account): [Scope(names: [account.rawValue], factor: 1)]
        }
    }

    private static func scopes(of network: ClientNetwork, _ names: [String]) -> [Scope] {
        network.levels.reversed().map { Scope(names: names + [$0.prefix], factor: $0.factor) }
    }
}

/// Counts in windows of fixed length, in memory; replicas tell each other about once a second.
public struct RateLimiter: Sendable {
    /// Whether `limit` of them have been counted in the current window of `window`; a limit of 0 is none. A wide network may
    /// reach a multiple of the limit; see ``ClientNetwork/Level/factor``.
    public var isReached: @Sendable (_ limited: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>) -> Bool
    /// Refuses the request if the limit is reached. Counts nothing.
    public var require:
        @Sendable (_ limited: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>)
            throws(TooManyAttempts)
            -> Void
    /// The same, and counts one in the same step if it passes, at every level or at none.
    public var take:
        @Sendable (_ limited: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>)
            throws(TooManyAttempts)
            -> Void
    /// Takes one back that was counted before it was known whether it should be counted.
    public var forgive: @Sendable (_ limited: LimitKey, _ window: Duration, _ realm: ID<Realm>) -> Void

    public init(
        isReached: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) -> Bool,
        require: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void,
        take: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void,
        forgive: @escaping @Sendable (LimitKey, Duration, ID<Realm>) -> Void = { _, _, _ in }
    ) {
        self.isReached = isReached
        self.require = require
        self.take = take
        self.forgive = forgive
    }

    /// Lets everything pass.
    public static let none = RateLimiter { _, _, _, _ in
        false
    } require: { (_, _, _, _) throws(TooManyAttempts) in
    } take: { (_, _, _, _) throws(TooManyAttempts) in
    }
}

/// Nothing was looked at. The same call may succeed once the window is over.
public struct TooManyAttempts: Refusal, Hashable {
    public let retryAfter: Duration

    public init(retryAfter: Duration) {
        self.retryAfter = retryAfter
    }
}

extension TooManyAttempts {
    public var code: ErrorCode { .tooManyAttemptsTryLater }

    public var detail: String? { "Too many attempts. Try again later." }

    public var retryDelay: Duration? { retryAfter }
}
