internal import CSystem
internal import Synchronization

/// Refused before any work was done: the pool could not have started it in reasonable time.
public struct PoolIsFull: Error {
    public init() {}
}

/// Threads for work that blocks or burns a core, with a bounded waiting room that is shared fairly.
///
/// Waiting work has a path of keys (networks, for example) from the widest to the narrowest, and is served round-robin at
/// every level (see ``FairQueue``), so that a busy key delays itself only. Admission is decided on arrival:
/// - no key of any level may fill more than half of the room;
/// - in a full room, a newcomer takes the place of the latest arrival of the key that waits with most.
public final class FairPool: Sendable {
    fileprivate struct Waiting {
        let start: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    fileprivate struct Room {
        var queue = FairQueue<Waiting>()
        var arrivals = 0
        var running = 0
        var isClosed = false
    }

    private let capacity: Int
    private let monitor: Monitor<Room>
    private let threads: Mutex<[LoopThread]> = Mutex([])

    /// - Parameters:
    ///   - capacity: how many may wait, beside those that run; at least 2.
    ///   - niceness: how much lower than the process the threads' priority is (0 to 19), so that event loops go first.
    /// - Throws: ``SystemError`` when no thread can be had.
    public init(name: String, threads count: Int, capacity: Int, niceness: Int32 = 0) throws {
        precondition(count > 0 && capacity > 1, "a pool needs threads and a waiting room")
        self.capacity = capacity
        let monitor = Monitor(Room())
        self.monitor = monitor
        for index in 0..<count {
            let thread = try LoopThread(name: "\(name)-\(index)") {
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
    /// - Parameter path: whose work it is, from the widest key to the narrowest.
    /// - Throws: ``PoolIsFull`` without having started `work`, and what `work` throws.
    public func run<Value: Sendable>(
        for path: [String], _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                Waiting(
                    start: { continuation.resume(with: Result(catching: work)) },
                    refuse: { continuation.resume(throwing: PoolIsFull()) }),
                for: path)
        }
    }

    /// How many wait now, over all keys.
    public var waiting: Int { monitor.withLock { $0.queue.count } }
    /// How many are being worked on now.
    public var running: Int { monitor.withLock { $0.running } }
    /// How many ever asked, those refused included.
    public var arrivals: Int { monitor.withLock { $0.arrivals } }

    /// Lets what waits run to its end, then ends the threads. Later work is refused.
    public func stop() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    private func admit(_ newcomer: Waiting, for path: [String]) {
        let refused: Waiting? = monitor.withLock { room in
            room.arrivals += 1
            guard !room.isClosed else { return newcomer }
            return room.queue.admit(newcomer, at: path, capacity: capacity)
        }
        if let refused { refused.refuse() }
        monitor.wakeOne()
    }

    private static func next(from monitor: Monitor<Room>) -> Waiting? {
        monitor.waitUntil { room in
            guard let next = room.queue.popNext() else { return room.isClosed ? .some(nil) : nil }
            room.running += 1
            return next
        }
    }
}
