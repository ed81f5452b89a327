/// What is counted before it is allowed again.
public enum Limited: Hashable, Sendable {
    /// Wrong passwords for one address from one place: nobody can lock out somebody elsewhere.
    case passwordFailures(Email, from: AddressPrefix)
    /// Wrong passwords from one place, whoever's.
    case anyPasswordFailures(from: AddressPrefix)
    case signUps(from: AddressPrefix)
    /// Mail to one address, whoever asks.
    case mail(to: Email)
    /// Mail asked for from one place.
    case anyMail(from: AddressPrefix)
}

/// Counts in windows of fixed length, in memory; replicas tell each other about once a second.
public struct RateLimiter: Sendable {
    /// Passes while fewer than `limit` of them have been counted in the current window of `window`; a limit of 0 is none.
    /// Counts nothing.
    public var require:
        @Sendable (_ limited: Limited, _ limit: Int, _ window: Duration, _ project: ID<Project>) throws(TooManyAttempts)
            -> Void
    /// Counts one.
    public var count: @Sendable (_ limited: Limited, _ window: Duration, _ project: ID<Project>) -> Void

    public init(
        require: @escaping @Sendable (Limited, Int, Duration, ID<Project>) throws(TooManyAttempts) -> Void,
        count: @escaping @Sendable (Limited, Duration, ID<Project>) -> Void
    ) {
        self.require = require
        self.count = count
    }

    /// Lets everything pass.
    public static let none = RateLimiter { (_, _, _, _) throws(TooManyAttempts) in
    } count: { _, _, _ in
    }
}

/// Nothing was looked at. The same call may succeed once the window is over.
public struct TooManyAttempts: Error, Hashable {
    public let retryAfter: Duration

    public init(retryAfter: Duration) {
        self.retryAfter = retryAfter
    }
}
