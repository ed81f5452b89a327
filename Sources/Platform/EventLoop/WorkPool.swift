internal import CSystem
internal import Synchronization

/// The pool did not start the work, because the pool was stopped or its queue had no room for the work.
public struct PoolRejection: Error {
    public init() {}
}

/// The pool did not start the work, because its caller no longer waits for the result.
public struct AbandonedWork: Error {
    public init() {}
}

/// Threads for work that blocks or uses a whole core, with a bounded queue that decides which work waits.
public final class WorkPool<Queue: WorkQueue>: Sendable {
    public typealias Claimant = Queue.Claimant

    private struct State {
        var queue = Queue()
        var arrivals = 0
        var running = 0
        var isClosed = false
    }

    private let capacity: Int
    private let monitor: Monitor<State>
    private let threads: Mutex<[NamedThread]> = Mutex([])

    /// - Parameters:
    ///   - capacity: the maximum number of waiting items, in addition to running ones; at least 2.
    ///   - niceness: 0 to 19, added to the niceness of the calling thread, so that event loops take precedence.
    /// - Throws: ``SystemError`` if the system cannot create a thread.
    public init(name: String, threads count: Int, capacity: Int, niceness: Int32 = 0) throws {
        precondition(count > 0 && capacity > 1, "a pool needs at least 1 thread and a capacity of 2")
        self.capacity = capacity
        let monitor = Monitor(State())
        self.monitor = monitor
        for index in 0..<count {
            let thread = try NamedThread(name: "\(name)-\(index)") {
                _ = shim_nice_thread(niceness)
                while let next = Self.next(from: monitor) {
                    next.run()
                    monitor.withLock { $0.running -= 1 }
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Runs `work` on a thread of the pool.
    ///
    /// - Parameters:
    ///   - claimant: on whose behalf the work is done.
    ///   - isAwaited: whether the result is still needed. Called on a thread of the pool before the work begins; must
    ///     be fast, and must not use the pool.
    /// - Throws: ``PoolRejection`` or ``AbandonedWork`` if `work` was not started; errors of `work`.
    public func run<Value: Sendable>(
        for claimant: Claimant, while isAwaited: @escaping @Sendable () -> Bool = { true },
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                WorkItem(
                    isAwaited: isAwaited,
                    start: { continuation.resume(with: Result(catching: work)) },
                    reject: { continuation.resume(throwing: $0) }),
                for: claimant)
        }
    }

    /// The number of waiting items.
    public var waiting: Int { monitor.withLock { $0.queue.count } }
    /// The number of running items.
    public var running: Int { monitor.withLock { $0.running } }
    /// The number of items ever submitted, including rejected ones.
    public var arrivals: Int { monitor.withLock { $0.arrivals } }

    /// Waits until the threads have finished the queued work and ended. Later work is rejected.
    public func stop() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    private func admit(_ item: WorkItem, for claimant: Claimant) {
        let rejected: WorkItem? = monitor.withLock { state in
            state.arrivals += 1
            guard !state.isClosed else { return item }
            return state.queue.admit(item, for: claimant, capacity: capacity)
        }
        rejected?.reject(PoolRejection())
        monitor.wakeOne()
    }

    private static func next(from monitor: Monitor<State>) -> WorkItem? {
        monitor.waitUntil { state in
            // `nil` continues the wait. `.some(nil)` ends the wait, and then the thread.
            guard let next = state.queue.popNext() else { return state.isClosed ? .some(nil) : nil }
            state.running += 1
            return next
        }
    }
}

/// Work that waits for a thread of a ``WorkPool``.
public struct WorkItem: Sendable {
    let isAwaited: @Sendable () -> Bool
    let start: @Sendable () -> Void
    let reject: @Sendable (any Error) -> Void

    func run() {
        if isAwaited() { start() } else { reject(AbandonedWork()) }
    }
}

/// The waiting items of a ``WorkPool``.
public protocol WorkQueue: Sendable {
    /// On whose behalf an item waits.
    associatedtype Claimant: Sendable

    init()
    /// The number of waiting items.
    var count: Int { get }
    /// Adds `item`, unless the queue has no room for it.
    ///
    /// - Returns: the rejected item: `item` itself or one that it displaces; `nil` if no item was rejected.
    mutating func admit(_ item: WorkItem, for claimant: Claimant, capacity: Int) -> WorkItem?
    /// - Returns: the next item; `nil` if the queue is empty.
    mutating func popNext() -> WorkItem?
}

/// A pool that serves all clients in turn. The claimant of an item is a path of keys, from the widest to the narrowest;
/// see ``FairQueue``.
public typealias FairPool = WorkPool<FairQueue<WorkItem>>

/// A pool that serves the claimants first whose work has cost least; see ``ChargedQueue``.
public typealias ChargedPool = WorkPool<ChargedQueue<WorkItem>>
