internal import Encoding

/// What the database knows about the health of a project.
public struct ProjectHealthFacts: Sendable {
    /// Items of a queue. The counts end at ``ProjectHealthFacts/countLimit``.
    public struct Queue: Hashable, Sendable {
        public let waiting: Int
        public let givenUp: Int
        /// When the oldest waiting item was created; `nil` if none waits.
        public let oldest: Instant?

        public init(waiting: Int, givenUp: Int, oldest: Instant?) {
            self.waiting = waiting
            self.givenUp = givenUp
            self.oldest = oldest
        }
    }

    public static let countLimit = 10_000

    public var queues: [WorkQueue: Queue]
    /// Tokens of Apple that were obtained with a team or key that is no longer configured.
    public var unknownAppleTokens: Int
    public var disabledEndpoints: Int
    public var failingEndpoints: Int
    /// When the key that signs ID tokens began to sign; `nil` if the project has none.
    public var signingSince: Instant?

    public init(
        queues: [WorkQueue: Queue], unknownAppleTokens: Int, disabledEndpoints: Int, failingEndpoints: Int,
        signingSince: Instant?
    ) {
        self.queues = queues
        self.unknownAppleTokens = unknownAppleTokens
        self.disabledEndpoints = disabledEndpoints
        self.failingEndpoints = failingEndpoints
        self.signingSince = signingSince
    }
}

/// One thing that must work.
public struct HealthCheck: Hashable, Sendable {
    public enum Name: String, CaseIterable, Sendable {
        case database, clock, signingKey, emails, textMessages, appleRevocations, appleTokens, eventDeliveries
        case eventEndpoints
    }

    public enum State: String, CaseIterable, Sendable {
        case ok
        /// Something that an administrator should look at.
        case warning
        /// Something does not work.
        case failing
    }

    public let name: Name
    public let state: State
    /// What was found, in English.
    public let detail: String

    public init(_ name: Name, _ state: State, _ detail: String) {
        self.name = name
        self.state = state
        self.detail = detail
    }
}

extension ProjectHealthFacts {
    /// The age of a waiting item from which the queue is reported.
    static let queueDelay: Duration = .seconds(600)
    /// The age of a signing key from which a rotation is recommended.
    static let signingKeyAge: Duration = .seconds(365 * 86_400)

    public func checks(at now: Instant) -> [HealthCheck] {
        [signingKey(at: now)]
            + [
                queue(.emails, .emails, at: now), queue(.textMessages, .textMessages, at: now),
                queue(.appleRevocations, .appleRevocations, at: now),
                HealthCheck(
                    .appleTokens, unknownAppleTokens == 0 ? .ok : .warning,
                    unknownAppleTokens == 0
                        ? "Each token can be checked."
                        : "\(unknownAppleTokens) tokens belong to a team or key that is no longer configured."),
                queue(.eventDeliveries, .eventDeliveries, at: now), endpoints,
            ]
    }

    private func signingKey(at now: Instant) -> HealthCheck {
        guard let signingSince else { return HealthCheck(.signingKey, .failing, "The project has no signing key.") }
        let days = (now - signingSince).components.seconds / 86_400
        return now - signingSince > Self.signingKeyAge
            ? HealthCheck(.signingKey, .warning, "The key has signed for \(days) days. Rotate it.")
            : HealthCheck(.signingKey, .ok, "The key has signed for \(days) days.")
    }

    private func queue(_ queue: WorkQueue, _ name: HealthCheck.Name, at now: Instant) -> HealthCheck {
        guard let items = queues[queue] else { return HealthCheck(name, .ok, "Nothing waits.") }
        let minutes = items.oldest.map { (now - $0).components.seconds / 60 } ?? 0
        let detail = "\(items.waiting) wait (the oldest for \(minutes) min), \(items.givenUp) were given up."
        if let oldest = items.oldest, now - oldest > Self.queueDelay { return HealthCheck(name, .failing, detail) }
        return items.waiting + items.givenUp == 0
            ? HealthCheck(name, .ok, "Nothing waits.") : HealthCheck(name, items.givenUp > 0 ? .warning : .ok, detail)
    }

    private var endpoints: HealthCheck {
        switch (disabledEndpoints, failingEndpoints) {
        case (0, 0): HealthCheck(.eventEndpoints, .ok, "No endpoint fails.")
        case (0, _): HealthCheck(.eventEndpoints, .warning, "\(failingEndpoints) endpoints fail at present.")
        default: HealthCheck(.eventEndpoints, .failing, "\(disabledEndpoints) endpoints are disabled.")
        }
    }
}
