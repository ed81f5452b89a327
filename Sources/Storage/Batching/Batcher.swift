internal import EventLoop
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Executes writes of one kind together: one statement, one commit and one round trip for many callers of an event loop.
///
/// A write is sent at once while its realm has fewer running statements than the maximum. Otherwise it waits, and the next
/// statement takes all waiting writes. No write waits only to fill a batch.
///
/// A statement with an unknown outcome is not repeated: all of its callers get the error. If PostgreSQL rejected a
/// statement, nothing was changed, and its writes are executed one by one.
actor WriteBatcher<Write: Sendable, Outcome: Sendable> {
    /// The latency of a batch grows with its size, while the saving per write becomes smaller.
    private static var maximumSize: Int { 64 }
    /// The maximum of running statements of a realm: as many as a pool has connections by default. A write then waits only
    /// when it would wait for a connection anyway. With fewer statements, writes wait longer where commits are slow.
    private static var concurrency: Int { 4 }
    /// The maximum of waiting writes of a realm.
    private static var waitingLimit: Int { 1000 }
    /// How long a write may wait until it is sent.
    private static var waitingDeadline: Duration { .seconds(3) }
    /// How often deadlines are checked while writes wait.
    private static var deadlineCheckInterval: Duration { .milliseconds(250) }

    private typealias Pending = PendingWrite<Write, Outcome>

    /// The waiting and the running writes of a realm.
    private final class RealmQueue {
        var waiting: [Pending] = []
        var workers = 0
        /// By the ID of their first write.
        var batches: [UInt64: [Pending]] = [:]
        /// The rows that `batches` change.
        var rows: Set<UUID> = []

        func pending(_ id: UInt64) -> Pending? {
            waiting.first { $0.id == id } ?? batches.values.joined().first { $0.id == id }
        }
    }

    private nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }
    private let row: @Sendable (Write) -> UUID
    private let execute: @Sendable ([Write], ID<Realm>) async throws -> [Outcome]
    /// By realm, for the realms with workers.
    private var queues: [ID<Realm>: RealmQueue] = [:]
    private var lastID: UInt64 = 0
    private var isCheckingDeadlines = false

    /// - Parameters:
    ///   - row: the row that a write changes. Two writes of the same row are never in one statement.
    ///   - execute: returns the outcomes in the order of the writes. For a single write, the common case under a low load,
    ///     it should execute a statement without arrays, which costs less.
    init(
        on pool: Pool, row: @escaping @Sendable (Write) -> UUID,
        execute: @escaping @Sendable ([Write], ID<Realm>) async throws -> [Outcome]
    ) {
        self.pool = pool
        self.row = row
        self.execute = execute
    }

    /// - Throws: errors of `execute`; ``PostgresError/unavailable(_:)`` if too many writes are waiting, or this one
    ///   waited for too long; `CancellationError` as soon as the task is cancelled. A write that was sent may then still
    ///   be executed.
    func run(_ write: Write, in realm: ID<Realm>) async throws -> Outcome {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        return try await withTaskCancellationHandler {
            try await enqueue(write, id, in: realm)
        } onCancel: {
            // Runs in a later pass of the loop, when the write has been queued.
            pool.loop.submit { self.assumeIsolated { $0.cancel(id, in: realm) } }
        }
    }

    private func enqueue(_ write: Write, _ id: UInt64, in realm: ID<Realm>) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let pending = Pending(id: id, write: write, deadline: .now + Self.waitingDeadline, continuation)
            let queue = queues[realm] ?? RealmQueue()
            queues[realm] = queue
            guard queue.waiting.count < Self.waitingLimit else {
                return pending.finish(.failure(PostgresError.unavailable("too many writes are waiting")))
            }
            queue.waiting.append(pending)
            startCheckingDeadlines()
            guard queue.workers < Self.concurrency else { return }
            queue.workers += 1
            Task(executorPreference: pool.loop) { await self.work(in: realm) }
        }
    }

    private func cancel(_ id: UInt64, in realm: ID<Realm>) {
        queues[realm]?.pending(id)?.finish(.failure(CancellationError()))
    }

    // MARK: Batches

    private func work(in realm: ID<Realm>) async {
        guard let queue = queues[realm] else { return }
        while let batch = nextBatch(of: queue) {
            queue.batches[batch[0].id] = batch
            await finish(batch, in: realm)
            queue.batches[batch[0].id] = nil
            queue.rows.subtract(batch.map { row($0.write) })
        }
        queue.workers -= 1
        if queue.workers == 0 { queues[realm] = nil }
    }

    /// Takes the oldest writes whose rows no running statement changes.
    private func nextBatch(of queue: RealmQueue) -> [Pending]? {
        var (batch, remaining): ([Pending], [Pending]) = ([], [])
        for pending in queue.waiting where pending.isAwaited {
            if batch.count < Self.maximumSize, queue.rows.insert(row(pending.write)).inserted {
                batch.append(pending)
            } else {
                remaining.append(pending)
            }
        }
        queue.waiting = remaining
        return batch.isEmpty ? nil : batch
    }

    private func finish(_ batch: [Pending], in realm: ID<Realm>) async {
        do {
            let outcomes = try await execute(batch.map(\.write), realm)
            for (pending, outcome) in zip(batch, outcomes) { pending.finish(.success(outcome)) }
        } catch let error as PostgresError where error.changedNothing && batch.count > 1 {
            for pending in batch where pending.isAwaited { await finish([pending], in: realm) }
        } catch {
            for pending in batch { pending.finish(.failure(error)) }
        }
    }

    // MARK: Deadlines

    private func startCheckingDeadlines() {
        guard !isCheckingDeadlines else { return }
        isCheckingDeadlines = true
        pool.loop.schedule(after: Self.deadlineCheckInterval) { self.checkDeadlines() }
    }

    private func checkDeadlines() {
        isCheckingDeadlines = false
        let now = ContinuousClock.now
        for queue in queues.values where !queue.waiting.isEmpty {
            for pending in queue.waiting where pending.deadline < now {
                pending.finish(.failure(PostgresError.unavailable("the write waited for too long")))
            }
            queue.waiting.removeAll { !$0.isAwaited }
            startCheckingDeadlines()
        }
    }
}

/// A write and the caller that waits for it.
private final class PendingWrite<Write, Outcome: Sendable> {
    let id: UInt64
    let write: Write
    /// The write fails if it is still waiting at this time.
    let deadline: ContinuousClock.Instant
    private var continuation: CheckedContinuation<Outcome, any Error>?

    init(
        id: UInt64, write: Write, deadline: ContinuousClock.Instant,
        _ continuation: CheckedContinuation<Outcome, any Error>
    ) {
        self.id = id
        self.write = write
        self.deadline = deadline
        self.continuation = continuation
    }

    var isAwaited: Bool { continuation != nil }

    /// Resumes the caller. Later calls do nothing.
    func finish(_ result: Result<Outcome, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}

extension PostgresError {
    /// Whether it is certain that the statement changed nothing, so that its writes can be executed again.
    fileprivate var changedNothing: Bool {
        switch self {
        case .refused, .invalidParameter: true
        case .unavailable, .timedOut, .decoding: false
        }
    }
}
