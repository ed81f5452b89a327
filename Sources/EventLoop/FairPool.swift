internal import CSystem
internal import Synchronization

/// Refused before any work was done: the pool could not have started it in reasonable time.
public struct PoolIsFull: Error {
    public init() {}
}

/// Threads for work that blocks or burns a core, with a bounded waiting room that is shared fairly.
///
/// Waiting work is kept by key (an address prefix, say) and served round-robin over the keys, so that one busy
/// key delays itself only. Admission is decided on arrival:
/// - no key may fill more than half of the room;
/// - in a full room, a newcomer takes the place of the latest arrival of the key that waits with most.
public final class FairPool: Sendable {
    fileprivate struct Waiting {
        let start: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    fileprivate struct Room {
        var queues: [String: [Waiting]] = [:]
        /// Keys that have work waiting, next to be served first.
        var turn: [String] = []
        var count = 0
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
    /// - Throws: ``PoolIsFull`` without having started `work`, and what `work` throws.
    public func run<Value: Sendable>(for key: String, _ work: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                Waiting(
                    start: { continuation.resume(with: Result(catching: work)) },
                    refuse: { continuation.resume(throwing: PoolIsFull()) }),
                for: key)
        }
    }

    /// How many wait now, over all keys.
    public var waiting: Int { monitor.withLock { $0.count } }
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

    private func admit(_ newcomer: Waiting, for key: String) {
        let refused: Waiting? = monitor.withLock { room in
            room.arrivals += 1
            guard !room.isClosed, room.queues[key, default: []].count < capacity / 2 else { return newcomer }
            var displaced: Waiting?
            if room.count >= capacity {
                displaced = room.displaceLatest(inFavourOf: key)
                guard displaced != nil else { return newcomer }
            }
            room.add(newcomer, for: key)
            return displaced
        }
        if let refused { refused.refuse() }
        monitor.wakeOne()
    }

    private static func next(from monitor: Monitor<Room>) -> Waiting? {
        monitor.waitUntil { room in
            guard let next = room.takeNext() else { return room.isClosed ? .some(nil) : nil }
            return next
        }
    }
}

extension FairPool.Room {
    fileprivate mutating func add(_ waiting: FairPool.Waiting, for key: String) {
        if queues[key, default: []].isEmpty { turn.append(key) }
        queues[key, default: []].append(waiting)
        count += 1
    }

    fileprivate mutating func takeNext() -> FairPool.Waiting? {
        guard !turn.isEmpty else { return nil }
        let key = turn.removeFirst()
        guard let next = queues[key]?.removeFirst() else { return nil }
        count -= 1
        running += 1
        if queues[key]?.isEmpty == true { queues[key] = nil } else { turn.append(key) }
        return next
    }

    /// - Returns: `nil` if nobody waits with clearly more than `key` does.
    fileprivate mutating func displaceLatest(inFavourOf key: String) -> FairPool.Waiting? {
        guard
            let longest = queues.max(by: { $0.value.count < $1.value.count }),
            longest.value.count > queues[key, default: []].count + 1
        else { return nil }
        count -= 1
        return queues[longest.key]?.removeLast()
    }
}
