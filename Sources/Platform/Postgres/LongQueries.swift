/// Decides which calls of ``Pool/withLongQueries(of:_:)`` may run, and in which order the others follow.
///
/// One owner runs one call at a time, and all owners together leave a connection to other callers, unless the pool has
/// only one.
struct LongQueries {
    struct Waiter {
        let id: UInt64
        let owner: String
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The maximum number of calls of one owner that wait.
    static let waitingLimit = 16

    private let limit: Int
    /// The owners whose calls run.
    private var running: Set<String> = []
    private var waiting = FIFO<Waiter>()

    init(connections: Int) {
        limit = max(1, connections - 1)
    }

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ waiter: Waiter) {
        guard waiting.count(where: { $0.owner == waiter.owner }) < Self.waitingLimit else {
            return waiter.continuation.resume(throwing: PostgresError.unavailable("too many long queries wait"))
        }
        waiting.append(waiter)
        startNext()
    }

    mutating func end(_ owner: String) {
        running.remove(owner)
        startNext()
    }

    /// - Returns: whether a waiting call has the ID.
    mutating func cancel(_ id: UInt64) -> Bool {
        guard let waiter = waiting.removeFirst(where: { $0.id == id }) else { return false }
        waiter.continuation.resume(throwing: CancellationError())
        return true
    }

    mutating func rejectLate(_ now: ContinuousClock.Instant) {
        while let late = waiting.removeFirst(where: { $0.deadline < now }) {
            late.continuation.resume(throwing: PostgresError.unavailable("no long query ended in time"))
        }
    }

    mutating func rejectAll(_ error: PostgresError) {
        for waiter in waiting.removeAll() { waiter.continuation.resume(throwing: error) }
    }

    private mutating func startNext() {
        while running.count < limit, let next = waiting.removeFirst(where: { !running.contains($0.owner) }) {
            running.insert(next.owner)
            next.continuation.resume()
        }
    }
}

extension Pool {
    /// Runs `body`, whose queries may take long, such as searches. Calls of one owner wait for each other, so that they
    /// occupy at most one connection; see ``LongQueries``.
    ///
    /// - Parameter owner: the party on whose behalf the queries run, for example a project.
    /// - Throws: errors of `body`; ``PostgresError/unavailable(_:)`` if too many calls of the owner wait, or if the
    ///   call has waited longer than ``Configuration/acquireDeadline``; `CancellationError`.
    public nonisolated func withLongQueries<Value>(of owner: String, _ body: () async throws -> Value) async throws
        -> Value
    {
        try await beginLongQueries(of: owner)
        do {
            let value = try await body()
            await endLongQueries(of: owner)
            return value
        } catch {
            await endLongQueries(of: owner)
            throw error
        }
    }
}
