internal import CSystem
internal import Synchronization

/// The pool did not start the work, because the pool was stopped, its queue was full, or items of the same key filled
/// half of the queue.
public struct PoolRejection: Error {
    public init() {}
}

/// Threads for work that blocks or uses a whole core, with a bounded queue that serves all clients fairly.
///
/// Each waiting item has a path of keys (for example networks) from the widest to the narrowest. The queue serves keys
/// round-robin at every level (see ``FairQueue``), so that a key with many items is served only as often as
/// a key with few. A key of any level may fill at most half of the queue. If the queue or a key's half is full, a new
/// item displaces a waiting item of a key with more items, or is rejected (see ``FairQueue/admit(_:at:capacity:)``).
public final class FairPool: Sendable {
    fileprivate struct Item {
        let start: @Sendable () -> Void
        let reject: @Sendable () -> Void
    }

    fileprivate struct State {
        var queue = FairQueue<Item>()
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
                    next.start()
                    monitor.withLock { $0.running -= 1 }
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Runs `work` on a thread of the pool.
    ///
    /// - Parameter path: the keys of the work, from the widest to the narrowest. No path may be a prefix of another.
    /// - Throws: ``PoolRejection`` if `work` was not started; errors of `work`.
    public func run<Value: Sendable>(
        for path: [String], _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                Item(
                    start: { continuation.resume(with: Result(catching: work)) },
                    reject: { continuation.resume(throwing: PoolRejection()) }),
                for: path)
        }
    }

    /// The number of waiting items of all keys.
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

    private func admit(_ item: Item, for path: [String]) {
        let rejected: Item? = monitor.withLock { state in
            state.arrivals += 1
            guard !state.isClosed else { return item }
            return state.queue.admit(item, at: path, capacity: capacity)
        }
        rejected?.reject()
        monitor.wakeOne()
    }

    private static func next(from monitor: Monitor<State>) -> Item? {
        monitor.waitUntil { state in
            // `nil` continues the wait. `.some(nil)` ends the wait, and then the thread.
            guard let next = state.queue.popNext() else { return state.isClosed ? .some(nil) : nil }
            state.running += 1
            return next
        }
    }
}
