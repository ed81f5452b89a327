internal import EventLoop
internal import Identity
internal import Postgres

/// Executes requests of one kind together. Many callers on an event loop share one statement and one round trip to
/// PostgreSQL; writes also share one commit.
///
/// Requests are sent at the end of the loop's iteration, if their realm has fewer running statements than
/// ``Batching/concurrency``. Otherwise they wait. The next statement takes as many waiting requests as the maximum size
/// allows. If fewer wait than ``Batching/minimumSize``, it takes only one. It does not take a request that has a key
/// (see ``Batching/exclusiveKeys``) in common with a running statement, or with an earlier request in the same
/// statement. A request that must run alone gets a statement of its own. No request waits only to fill a batch.
///
/// A statement with an unknown outcome is not repeated: all of its callers get the error. If PostgreSQL rejected a
/// statement, the statement changed nothing, and its requests are executed one by one.
actor Batcher<Request: Sendable, Key: Hashable & Sendable, Outcome: Sendable> {
    /// The maximum number of requests in a statement. Larger statements take longer and save little more per request.
    private static var maximumSize: Int { 64 }
    /// The maximum number of waiting requests of a realm.
    private static var waitingLimit: Int { 1000 }
    /// The maximum time from a request until it is sent.
    private static var maximumWait: Duration { .seconds(3) }
    /// How often deadlines are checked while requests wait.
    private static var deadlineCheckInterval: Duration { .milliseconds(250) }
    /// If a realm has more rejected keys than this, all of them are forgotten before others are added.
    private static var rejectedKeysLimit: Int { 1000 }

    private typealias Pending = PendingRequest<Request, Key, Outcome>

    /// The requests of a realm. Used on one loop only.
    private final class RealmQueue: @unchecked Sendable {
        var waiting: [Pending] = []
        var runningStatements = 0
        /// The keys of the requests in running statements.
        var reservedKeys: Set<Key> = []
        /// Keys of requests that PostgreSQL rejected. Requests with one of them are executed alone, so that a client
        /// that repeats a rejected request does not fail the statements of others.
        var rejectedKeys: Set<Key> = []
        /// Whether waiting requests are sent at the end of this iteration.
        var isSendScheduled = false
    }

    private nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }
    private let batching: Batching<Request, Key, Outcome>
    /// The queue of each realm. The next check of deadlines removes a queue without requests.
    private var queues: [ID<Realm>: RealmQueue] = [:]
    private var isCheckingDeadlines = false

    init(on pool: Pool, _ batching: Batching<Request, Key, Outcome>) {
        self.pool = pool
        self.batching = batching
    }

    /// Executes `request`, alone or in a batch.
    ///
    /// - Throws: errors of PostgreSQL and of the functions of ``Batching``; ``PostgresError/unavailable(_:)`` if too
    ///   many requests are waiting, or this one waited for too long; `CancellationError` as soon as the task is
    ///   cancelled, although a request that was already sent may still be executed.
    func run(_ request: Request, in realm: ID<Realm>) async throws -> Outcome {
        try Task.checkCancellation()
        let pending = Pending(
            request, keys: batching.exclusiveKeys?(request) ?? [], deadline: pool.loop.iterationStart + Self.maximumWait
        )
        return try await withTaskCancellationHandler {
            try await outcome(of: pending, in: realm)
        } onCancel: {
            // The loop runs this in a later iteration, after the request was queued.
            pool.loop.submit { pending.finish(.failure(CancellationError())) }
        }
    }

    private func outcome(of pending: Pending, in realm: ID<Realm>) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            pending.continuation = continuation
            let queue = queues[realm] ?? RealmQueue()
            queues[realm] = queue
            guard queue.waiting.count < Self.waitingLimit else {
                return pending.finish(.failure(PostgresError.unavailable("too many requests are waiting")))
            }
            pending.mustRunAlone = !queue.rejectedKeys.isDisjoint(with: pending.keys)
            queue.waiting.append(pending)
            startCheckingDeadlines()
            scheduleSend(from: queue, of: realm)
        }
    }

    // MARK: Batches

    private func scheduleSend(from queue: RealmQueue, of realm: ID<Realm>) {
        guard !queue.isSendScheduled, queue.runningStatements < batching.concurrency else { return }
        queue.isSendScheduled = true
        pool.loop.atEndOfIteration { self.assumeIsolated { $0.send(from: queue, of: realm) } }
    }

    private func send(from queue: RealmQueue, of realm: ID<Realm>) {
        queue.isSendScheduled = false
        while queue.runningStatements < batching.concurrency, let batch = nextBatch(of: queue) {
            queue.runningStatements += 1
            do {
                let statement = try batching.statement(batch.map(\.request), realm)
                pool.assumeIsolated { pool in
                    pool.send(statement, as: batching.kind) { result in
                        self.assumeIsolated { $0.finish(batch, with: result, from: queue, of: realm) }
                    }
                }
            } catch {
                finish(batch, with: .failure(error), from: queue, of: realm)
            }
        }
    }

    /// Takes from the queue the oldest requests that share no key with a running statement or with each other.
    ///
    /// - Returns: `nil` if there are none.
    private func nextBatch(of queue: RealmQueue) -> [Pending]? {
        guard !queue.waiting.isEmpty else { return nil }
        let maximum = queue.waiting.count < batching.minimumSize ? 1 : Self.maximumSize
        var (batch, remaining): ([Pending], [Pending]) = ([], [])
        for pending in queue.waiting where pending.isAwaited {
            let hasRoom = batch.isEmpty || (batch.count < maximum && !batch[0].mustRunAlone && !pending.mustRunAlone)
            if hasRoom, reserveKeys(of: pending, in: queue) {
                batch.append(pending)
            } else {
                remaining.append(pending)
            }
        }
        queue.waiting = remaining
        return batch.isEmpty ? nil : batch
    }

    /// Reserves the request's keys.
    ///
    /// - Returns: `false` if a running statement or an earlier request of the batch has one of them.
    private func reserveKeys(of pending: Pending, in queue: RealmQueue) -> Bool {
        guard queue.reservedKeys.isDisjoint(with: pending.keys) else { return false }
        queue.reservedKeys.formUnion(pending.keys)
        return true
    }

    private func finish(
        _ batch: [Pending], with result: Result<[Row], any Error>, from queue: RealmQueue, of realm: ID<Realm>
    ) {
        queue.runningStatements -= 1
        for pending in batch { queue.reservedKeys.subtract(pending.keys) }
        do {
            let outcomes = try batching.outcomes(batch.map(\.request), try result.get())
            for (pending, outcome) in zip(batch, outcomes) { pending.finish(.success(outcome)) }
        } catch let error where batch.count > 1 && mayRepeat(after: error, hasRows: result.isSuccess) {
            for pending in batch { pending.mustRunAlone = true }
            queue.waiting = batch + queue.waiting
        } catch {
            if batch.count == 1, mayRepeat(after: error, hasRows: result.isSuccess) {
                addRejectedKeys(of: batch[0], to: queue)
            }
            for pending in batch { pending.finish(.failure(error)) }
        }
        scheduleSend(from: queue, of: realm)
    }

    private func addRejectedKeys(of pending: Pending, to queue: RealmQueue) {
        if queue.rejectedKeys.count > Self.rejectedKeysLimit { queue.rejectedKeys = [] }
        queue.rejectedKeys.formUnion(pending.keys)
    }

    /// Whether the requests of a failed statement may be executed again, one by one: PostgreSQL rejected the statement,
    /// or a row of a read could not be decoded. Such a row must fail only the request that it belongs to.
    private func mayRepeat(after error: any Error, hasRows: Bool) -> Bool {
        hasRows ? batching.kind == .read : (error as? PostgresError)?.changedNothing ?? false
    }

    // MARK: Deadlines

    private func startCheckingDeadlines() {
        guard !isCheckingDeadlines else { return }
        isCheckingDeadlines = true
        pool.loop.schedule(after: Self.deadlineCheckInterval) { self.assumeIsolated { $0.checkDeadlines() } }
    }

    private func checkDeadlines() {
        isCheckingDeadlines = false
        let now = ContinuousClock.now
        for (realm, queue) in queues {
            for pending in queue.waiting where pending.deadline < now {
                pending.finish(.failure(PostgresError.unavailable("the request waited for too long")))
            }
            queue.waiting.removeAll { !$0.isAwaited }
            if queue.waiting.isEmpty, queue.runningStatements == 0 { queues[realm] = nil }
        }
        if !queues.isEmpty { startCheckingDeadlines() }
    }
}

/// How a ``Batcher`` turns requests of one kind into statements, and their rows into outcomes.
struct Batching<Request: Sendable, Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    let kind: StatementKind
    /// The maximum number of running statements of a realm.
    let concurrency: Int
    /// If fewer requests than this are waiting, each is sent in a statement of its own.
    let minimumSize: Int
    /// Keys by which writes exclude each other: a batcher never executes two writes of a realm with a common key at the
    /// same time. `nil` for reads.
    let exclusiveKeys: (@Sendable (Request) -> [Key])?
    /// Builds the statement of the requests. For a single request, which is common under a low load, a statement
    /// without arrays costs less.
    let statement: @Sendable ([Request], ID<Realm>) throws -> SQL
    /// Returns the outcomes in the order of the requests. For writes, it must decode only what identifies a request: an
    /// error here would fail requests that were executed.
    let outcomes: @Sendable ([Request], [Row]) throws -> [Outcome]

    /// Batches of writes. Up to four statements of a realm run at the same time, because a pool has four connections by
    /// default. In such a pool, a write waits only when it would wait for a connection anyway, or for a write with a
    /// common key. With fewer statements, writes would wait longer where commits are slow.
    static func writes(
        exclusiveKeys: @escaping @Sendable (Request) -> [Key],
        by statement: @escaping @Sendable ([Request], ID<Realm>) throws -> SQL,
        outcomes: @escaping @Sendable ([Request], [Row]) throws -> [Outcome]
    ) -> Self {
        Self(
            kind: .query, concurrency: 4, minimumSize: 2, exclusiveKeys: exclusiveKeys, statement: statement,
            outcomes: outcomes)
    }
}

extension Batching where Key == Never {
    /// Batches of reads. Their statements share one connection and are sent together. Therefore up to three statements
    /// with one request each cost less than one statement with arrays.
    static func reads(
        by statement: @escaping @Sendable ([Request], ID<Realm>) throws -> SQL,
        outcomes: @escaping @Sendable ([Request], [Row]) throws -> [Outcome]
    ) -> Self {
        Self(
            kind: .read, concurrency: 4, minimumSize: 4, exclusiveKeys: nil, statement: statement,
            outcomes: outcomes)
    }
}

/// A request and the caller that waits for it. Used on one loop only.
private final class PendingRequest<Request: Sendable, Key: Hashable & Sendable, Outcome: Sendable>: @unchecked Sendable
{
    let request: Request
    let keys: [Key]
    /// The request fails if it is still waiting at this time.
    let deadline: ContinuousClock.Instant
    /// Whether the request gets a statement of its own, because a batch that contained it failed, or because PostgreSQL
    /// rejected a request with a common key.
    var mustRunAlone = false
    var continuation: CheckedContinuation<Outcome, any Error>?

    init(_ request: Request, keys: [Key], deadline: ContinuousClock.Instant) {
        self.request = request
        self.keys = keys
        self.deadline = deadline
    }

    /// Whether the caller still waits for a result. After a cancellation, it does not.
    var isAwaited: Bool { continuation != nil }

    /// Resumes the caller. Later calls do nothing.
    func finish(_ result: Result<Outcome, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}

extension PostgresError {
    /// Whether it is certain that the statement changed nothing, so that the requests can be executed again.
    fileprivate var changedNothing: Bool {
        switch self {
        case .rejected, .invalidParameter: true
        case .unavailable, .timedOut, .decoding: false
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
