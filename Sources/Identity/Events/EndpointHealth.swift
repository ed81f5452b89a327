/// The result of an attempt to deliver an event.
public enum EventDeliveryOutcome: Hashable, Sendable {
    /// The endpoint answered with a status from 200 to 299.
    case delivered(status: Int)
    case failed(EventDeliveryFailure)

    public var isDelivered: Bool { if case .delivered = self { true } else { false } }
}

/// Why an attempt to deliver an event failed.
public enum EventDeliveryFailure: Hashable, Sendable {
    /// - Parameter retryAfter: what the header `Retry-After` demands.
    case status(Int, retryAfter: Duration? = nil)
    case timedOut
    /// No connection, or the connection was lost.
    case unreachable
    case tlsFailed
    /// The configuration of the gateway does not permit the address.
    case destinationNotAllowed
    case protocolError
}

extension EventDeliveryFailure {
    public var status: Int? { if case .status(let status, _) = self { status } else { nil } }

    /// A word for the delivery log and for metrics.
    public var name: String {
        switch self {
        case .status(300...399, _): "redirect"
        case .status: "status"
        case .timedOut: "timeout"
        case .unreachable: "unreachable"
        case .tlsFailed: "tls"
        case .destinationNotAllowed: "destinationNotAllowed"
        case .protocolError: "protocol"
        }
    }

    /// The values of ``name``.
    public static let names = [
        "redirect", "status", "timeout", "unreachable", "tls", "destinationNotAllowed", "protocol",
    ]
}

/// Whether an endpoint accepts events, and when the gateway tries it next.
///
/// After ``failureLimit`` failures in a row, the endpoint gets one event per step of ``delays`` (a probe), and no new
/// ones. After ``patience`` without a success, it is disabled until an administrator enables it.
public struct EndpointHealth: Hashable, Sendable {
    public enum DisabledReason: String, Hashable, Sendable {
        /// The endpoint answered 410 (Gone).
        case gone
        /// No attempt has succeeded for ``EndpointHealth/patience``.
        case noSuccess
    }

    public static let failureLimit = 10
    public static let patience: Duration = .seconds(24 * 3600)
    /// The delays before the second and each later attempt, before jitter.
    public static let delays: [Duration] = [
        .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(3600), .seconds(3 * 3600),
        .seconds(8 * 3600), .seconds(24 * 3600),
    ]
    private static let longestRetryAfter: Duration = .seconds(3600)

    /// Failed attempts since the last success.
    public var failures: Int
    public var failingSince: Instant?
    /// No attempt is made before this time.
    public var attemptAfter: Instant?
    public var lastSuccessAt: Instant?
    public var disabledAt: Instant?
    public var disabledReason: DisabledReason?

    public init(
        failures: Int = 0, failingSince: Instant? = nil, attemptAfter: Instant? = nil, lastSuccessAt: Instant? = nil,
        disabledAt: Instant? = nil, disabledReason: DisabledReason? = nil
    ) {
        self.failures = failures
        self.failingSince = failingSince
        self.attemptAfter = attemptAfter
        self.lastSuccessAt = lastSuccessAt
        self.disabledAt = disabledAt
        self.disabledReason = disabledReason
    }
}

extension EndpointHealth {
    /// Whether the endpoint gets only probes.
    public var isFailing: Bool { failures >= Self.failureLimit }

    /// A word for administrators: `active`, `failing` or `disabled`.
    public var stateName: String { disabledAt != nil ? "disabled" : isFailing ? "failing" : "active" }

    /// Whether an attempt can be made now.
    public func allowsAttempt(at now: Instant) -> Bool {
        disabledAt == nil && (attemptAfter.map { $0 <= now } != false || hasFailedTooLong(at: now))
    }

    /// Whether the endpoint has had no success for ``patience``. It then gets one more probe at once, and is disabled
    /// if the probe fails.
    public func hasFailedTooLong(at now: Instant) -> Bool {
        disabledAt == nil && failingSince.map { now - $0 >= Self.patience } == true
    }

    /// Disables the endpoint if it has had no success for ``patience``.
    public mutating func disableIfFailedTooLong(at now: Instant) {
        if hasFailedTooLong(at: now) { disable(because: .noSuccess, at: now) }
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameter chance: a random number from 0 to 1, for the jitter.
    public mutating func record(_ outcome: EventDeliveryOutcome, at now: Instant, chance: Double) {
        guard case .failed(let failure) = outcome else {
            self = EndpointHealth(lastSuccessAt: now)
            return
        }
        failures += 1
        failingSince = failingSince ?? now
        if isFailing {
            attemptAfter = now + Self.delay(after: failures - Self.failureLimit + 1, chance: chance)
        }
        if case .status(_, let retryAfter?) = failure {
            attemptAfter = max(attemptAfter ?? now, now + min(retryAfter, Self.longestRetryAfter))
        }
        if failure.status == 410 { disable(because: .gone, at: now) }
        disableIfFailedTooLong(at: now)
    }

    private mutating func disable(because reason: DisabledReason, at now: Instant) {
        guard disabledAt == nil else { return }
        (disabledAt, disabledReason) = (now, reason)
    }

    /// Returns the time of an event's next attempt; `nil` if its delivery has failed.
    ///
    /// - Parameters:
    ///   - attempts: the failed attempts so far.
    ///   - isEndless: whether attempts go on once a day; see ``AccountEvent/Kind/isKeptUntilDelivered``.
    public static func nextAttempt(
        after attempts: Int, failing failure: EventDeliveryFailure, isEndless: Bool = false, at now: Instant,
        chance: Double
    ) -> Instant? {
        guard isEndless || attempts <= delays.count else { return nil }
        var delay = delay(after: attempts, chance: chance)
        if case .status(_, let retryAfter?) = failure { delay = max(delay, min(retryAfter, longestRetryAfter)) }
        return now + delay
    }

    /// - Returns: the delay with a jitter of a fifth.
    private static func delay(after attempts: Int, chance: Double) -> Duration {
        let step = delays[min(max(attempts, 1), delays.count) - 1]
        return step * (0.8 + 0.4 * min(max(chance, 0), 1))
    }
}
