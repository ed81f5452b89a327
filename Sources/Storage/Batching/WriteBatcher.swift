internal import EventLoop
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Executes writes of one kind together: one statement, one commit and one round trip for many callers of a loop.
///
/// While a realm has as many statements running as it may, further writes wait, and the next statement takes them all.
/// Until then each write is sent at once, so nothing waits on purpose.
///
/// A statement with an unknown outcome is not repeated: all of its callers get the error. If PostgreSQL rejected a
/// statement, nothing was changed, and its writes are executed one by one.
actor WriteBatcher<Write: Sendable, Outcome: Sendable> {
    /// The latency of a batch grows with its size, while the saving per write becomes smaller.
    private static var maximumSize: Int { 64 }
    /// The maximum of running statements of a realm: as many as a pool has connections by default. A write then waits only
    /// when it would wait for a connection anyway, which matters where commits are slow.
    private static var concurrency: Int { 4 }
    /// The maximum of waiting writes of a realm.
    private static var waitingLimit: Int { 1000 }
    /// How long a write may wait until it is sent.
    private static var waitingDeadline: Duration { .seconds(3) }
    /// How often that is checked while writes are waiting.
    private static var tick: Duration { .milliseconds(250) }

    private typealias Pending = PendingWrite<Write, Outcome>

    /// The writes of a realm.
    private final class Lane {
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
    /// The realms with workers.
    private var lanes: [ID<Realm>: Lane] = [:]
    private var lastID: UInt64 = 0
    private var isTicking = false

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
            let lane = lanes[realm] ?? Lane()
            lanes[realm] = lane
            guard lane.waiting.count < Self.waitingLimit else {
                return pending.finish(.failure(PostgresError.unavailable("too many writes are waiting")))
            }
            lane.waiting.append(pending)
            startTicking()
            guard lane.workers < Self.concurrency else { return }
            lane.workers += 1
            Task(executorPreference: pool.loop) { await self.work(in: realm) }
        }
    }

    private func cancel(_ id: UInt64, in realm: ID<Realm>) {
        lanes[realm]?.pending(id)?.finish(.failure(CancellationError()))
    }

    // MARK: Batches

    private func work(in realm: ID<Realm>) async {
        guard let lane = lanes[realm] else { return }
        while let batch = nextBatch(of: lane) {
            lane.batches[batch[0].id] = batch
            await finish(batch, in: realm)
            lane.batches[batch[0].id] = nil
            lane.rows.subtract(batch.map { row($0.write) })
        }
        lane.workers -= 1
        if lane.workers == 0 { lanes[realm] = nil }
    }

    /// Takes the oldest writes whose rows no running statement changes.
    private func nextBatch(of lane: Lane) -> [Pending]? {
        var (batch, rest): ([Pending], [Pending]) = ([], [])
        for pending in lane.waiting where pending.isAwaited {
            if batch.count < Self.maximumSize, lane.rows.insert(row(pending.write)).inserted {
                batch.append(pending)
            } else {
                rest.append(pending)
            }
        }
        lane.waiting = rest
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

    private func startTicking() {
        guard !isTicking else { return }
        isTicking = true
        pool.loop.schedule(after: Self.tick) { self.checkDeadlines() }
    }

    private func checkDeadlines() {
        isTicking = false
        let now = ContinuousClock.now
        for lane in lanes.values where !lane.waiting.isEmpty {
            for pending in lane.waiting where pending.deadline < now {
                pending.finish(.failure(PostgresError.unavailable("the write waited for too long")))
            }
            lane.waiting.removeAll { !$0.isAwaited }
            startTicking()
        }
    }
}

/// A write and the caller that waits for it.
private final class PendingWrite<Write, Outcome: Sendable> {
    let id: UInt64
    let write: Write
    /// When it must have been sent.
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
    /// Whether the statement certainly changed nothing, so that its parts may be executed again.
    fileprivate var changedNothing: Bool {
        switch self {
        case .refused, .invalidParameter: true
        case .unavailable, .timedOut, .decoding: false
        }
    }
}
