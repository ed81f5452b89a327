/// What is counted, for charts. The raw values are names of the wire and of stored rows.
public enum CountKind: String, Hashable, Sendable, CaseIterable {
    /// New accounts, except those that administrators create. The label is the sign-in method.
    case signUps
    /// Sessions that a sign-in opened, those of sign-ups included. The label is the sign-in method.
    case signIns
    /// Rejected requests of apps. The label is the error code.
    case refusals
    /// Accounts that signed in or refreshed a token on their first occasion of the UTC day.
    case activeAccounts
    /// Requests of apps. The label is the upper bound of the duration in milliseconds, or `slower`.
    case latency
    /// What happened to Apple's tokens. The label is an ``AppleTokenEvent``.
    case appleTokens
    /// Emails. The label is an ``EmailEvent``.
    case emails
}

/// One event to count. Labels come only from constants of the gateway and from the project's configuration, so that
/// requests cannot add rows.
public struct CountedEvent: Hashable, Sendable {
    public let kind: CountKind
    public let label: String

    private init(_ kind: CountKind, _ label: String = "") {
        self.kind = kind
        self.label = label
    }
}

extension CountedEvent {
    public static let activeAccount = CountedEvent(.activeAccounts)

    public static func signUp(by method: ProviderID) -> CountedEvent { CountedEvent(.signUps, method.rawValue) }

    public static func signIn(by method: ProviderID) -> CountedEvent { CountedEvent(.signIns, method.rawValue) }

    public static func refusal(_ code: ErrorCode) -> CountedEvent { CountedEvent(.refusals, code.rawValue) }

    public static func request(lasting duration: Duration) -> CountedEvent {
        CountedEvent(.latency, LatencyBucket(of: duration).label)
    }

    public static func appleToken(_ event: AppleTokenEvent) -> CountedEvent {
        CountedEvent(.appleTokens, event.rawValue)
    }

    public static func email(_ event: EmailEvent) -> CountedEvent { CountedEvent(.emails, event.rawValue) }
}

/// What happened to a token of Sign in with Apple.
public enum AppleTokenEvent: String, Sendable, CaseIterable {
    /// Apple exchanged a code for the token.
    case stored
    /// Apple confirmed the token in a check.
    case authorized
    /// The gateway revoked the token, or a check found that the user had disconnected the app.
    case revoked
    /// A check failed, or the gateway gave up to redeem the code or to revoke the token.
    case failed
}

/// The end of an email's delivery.
public enum EmailEvent: String, Sendable, CaseIterable {
    case sent
    /// Not needed any more.
    case dropped
    case givenUp
}

/// A range of durations, by its upper bound.
public struct LatencyBucket: Sendable {
    /// Milliseconds.
    public static let bounds: [Int64] = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
    /// The labels of all buckets, the fastest first. They are made once, so that a request allocates none.
    public static let labels = bounds.map(String.init) + ["slower"]

    public let label: String

    public init(of duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        label = Self.labels[Self.bounds.firstIndex { microseconds <= $0 * 1000 } ?? Self.bounds.count]
    }
}
