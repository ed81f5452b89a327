/// What is counted before it is allowed again.
public enum Limited: Hashable, Sendable {
    /// What is counted, whoever's and from wherever.
    public enum Kind: String, Sendable, CaseIterable {
        case passwordFailures, anyPasswordFailures, signUps, mail, anyMail, credentialChanges
    }

    /// Wrong passwords for one address from one place: nobody can lock out somebody elsewhere.
    case passwordFailures(Email, from: AddressPrefix)
    /// Wrong passwords from one place, whoever's.
    case anyPasswordFailures(from: AddressPrefix)
    case signUps(from: AddressPrefix)
    /// Mail to one address, whoever asks.
    case mail(to: Email)
    /// Mail asked for from one place.
    case anyMail(from: AddressPrefix)
    /// Changes of one account's credentials by its own clients, from wherever.
    case credentialChanges(ID<Account>)

    public var kind: Kind {
        switch self {
        case .passwordFailures: .passwordFailures
        case .anyPasswordFailures: .anyPasswordFailures
        case .signUps: .signUps
        case .mail: .mail
        case .anyMail: .anyMail
        case .credentialChanges: .credentialChanges
        }
    }

    /// Whose and from where; neither part has a NUL in it.
    public var scope: [String] {
        switch self {
        case .passwordFailures(let email, let prefix): [email.rawValue, prefix.rawValue]
        case .mail(let email): [email.rawValue]
        case .credentialChanges(let account): [account.rawValue]
        case .anyPasswordFailures(let prefix), .signUps(let prefix), .anyMail(let prefix): [prefix.rawValue]
        }
    }
}

/// Counts in windows of fixed length, in memory; replicas tell each other about once a second.
public struct RateLimiter: Sendable {
    /// Passes while fewer than `limit` of them have been counted in the current window of `window`; a limit of 0 is none.
    /// Counts nothing.
    public var require:
        @Sendable (_ limited: Limited, _ limit: Int, _ window: Duration, _ project: ID<Project>) throws(TooManyAttempts)
            -> Void
    /// Counts one in the same step if it passes.
    public var take:
        @Sendable (_ limited: Limited, _ limit: Int, _ window: Duration, _ project: ID<Project>) throws(TooManyAttempts)
            -> Void
    /// Takes one back that was counted before it was known whether it should be counted.
    public var forgive: @Sendable (_ limited: Limited, _ window: Duration, _ project: ID<Project>) -> Void

    public init(
        require: @escaping @Sendable (Limited, Int, Duration, ID<Project>) throws(TooManyAttempts) -> Void,
        take: @escaping @Sendable (Limited, Int, Duration, ID<Project>) throws(TooManyAttempts) -> Void,
        forgive: @escaping @Sendable (Limited, Duration, ID<Project>) -> Void = { _, _, _ in }
    ) {
        self.require = require
        self.take = take
        self.forgive = forgive
    }

    /// Lets everything pass.
    public static let none = RateLimiter { (_, _, _, _) throws(TooManyAttempts) in
    } take: { (_, _, _, _) throws(TooManyAttempts) in
    }
}

/// Nothing was looked at. The same call may succeed once the window is over.
public struct TooManyAttempts: Error, Hashable {
    public let retryAfter: Duration

    public init(retryAfter: Duration) {
        self.retryAfter = retryAfter
    }
}
