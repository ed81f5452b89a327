internal import Encoding

/// A queue of a project: work that the gateway does after a request, and repeats if it fails.
public enum WorkQueue: String, CaseIterable, Sendable {
    case emails
    case textMessages
    /// Tokens that wait to be revoked at Apple.
    case appleRevocations
    /// Events that wait to be delivered to an endpoint.
    case eventDeliveries
}

/// An item of a queue as operators see it, without addresses, numbers, tokens and contents.
public struct QueueItem: Hashable, Sendable {
    /// Unique in the queue.
    public let id: String
    public let realm: ID<Realm>
    /// What the item is: the kind of an email, the purpose of a text message, Apple's client ID, or the kind of an
    /// event.
    public let kind: String
    public let attempts: Int
    public let createdAt: Instant
    /// The next attempt; `nil` after the gateway gave up.
    public let dueAt: Instant?
    /// The error of the latest attempt.
    public let failure: String?

    public init(
        id: String, realm: ID<Realm>, kind: String, attempts: Int, createdAt: Instant, dueAt: Instant?, failure: String?
    ) {
        self.id = id
        self.realm = realm
        self.kind = kind
        self.attempts = attempts
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.failure = failure
    }
}

/// What an administrator does with an item.
public enum QueueItemChange: String, Sendable {
    /// The next attempt is due now, also after the gateway gave up, unless the content has expired.
    case retry = "retried"
    /// The gateway makes no further attempt.
    case cancel = "cancelled"
}

public protocol WorkQueueStore: Sendable {
    /// The newest items of a project and its tenants, at most `limit`.
    func items(of queue: WorkQueue, limit: Int, in project: ID<Project>) async throws -> [QueueItem]

    /// Changes an item, and audits the change.
    ///
    /// - Returns: `false` if the project has no such item that can be changed so.
    func apply(
        _ change: QueueItemChange, to item: String, of queue: WorkQueue, by actor: AuditActor, at now: Instant,
        in project: ID<Project>
    ) async throws -> Bool
}

/// Why an item was not changed.
public enum WorkQueueRefusal: Refusal, Hashable {
    /// No such item, or an item that cannot be repeated: it has expired, or the gateway does not know whether it was
    /// sent.
    case notFound
}

extension WorkQueueRefusal {
    public var code: ErrorCode { .notFound }

    public var detail: String? { "The queue has no such item that can be changed." }
}

/// The queues of projects, for administrators.
public struct WorkQueues: Sendable {
    private let store: any WorkQueueStore
    private let facts: @Sendable (ID<Project>) async throws -> ProjectHealthFacts
    private let clock: WallClock

    public init(
        store: any WorkQueueStore, facts: @escaping @Sendable (ID<Project>) async throws -> ProjectHealthFacts,
        clock: WallClock
    ) {
        self.store = store
        self.facts = facts
        self.clock = clock
    }

    /// Returns the health of a project's queues, keys, tokens and endpoints.
    public func health(of project: ID<Project>) async throws -> [HealthCheck] {
        try await facts(project).checks(at: clock.now())
    }

    public func items(of queue: WorkQueue, limit: Int, in project: ID<Project>) async throws -> [QueueItem] {
        try await store.items(of: queue, limit: limit, in: project)
    }

    /// - Throws: ``WorkQueueRefusal``.
    public func apply(
        _ change: QueueItemChange, to item: String, of queue: WorkQueue, by actor: AuditActor, in project: ID<Project>
    ) async throws {
        guard try await store.apply(change, to: item, of: queue, by: actor, at: clock.now(), in: project) else {
            throw WorkQueueRefusal.notFound
        }
    }
}
