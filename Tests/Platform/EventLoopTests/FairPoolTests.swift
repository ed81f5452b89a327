import CSystem
import EventLoop
import Synchronization
import Testing

/// Each item of work has a path of keys, from the widest (such as a /24 network) to the narrowest (such as an address).
@Suite("Fair pools")
struct FairPoolTests {
    @Test("Keys are served in turn, however many items one of them has")
    func fairness() async throws {
        let order = try await outcomes(capacity: 16, arrivals: ["busy", "busy", "busy", "quiet"])
        #expect(order == ["busy", "quiet", "busy", "busy"])
    }

    @Test("Wide keys are served in turn, however many narrow keys one of them has")
    func wideFairness() async throws {
        let order = try await outcomes(capacity: 16, arrivals: ["busy/1", "busy/2", "busy/3", "quiet/1"])
        #expect(order == ["busy/1", "quiet/1", "busy/2", "busy/3"])
    }

    @Test("A new item of a key that fills half of the queue is rejected")
    func half() async throws {
        let order = try await outcomes(capacity: 4, arrivals: ["busy", "busy", "busy"])
        #expect(order == ["busy rejected", "busy", "busy"])
    }

    @Test("If the queue is full, a new item displaces the latest item of the key with the most items")
    func displacement() async throws {
        let order = try await outcomes(capacity: 4, arrivals: ["busy", "busy", "b", "c", "new"])
        #expect(order == ["busy rejected", "busy", "b", "c", "new"])
    }

    @Test("A new item is rejected if the queue is full and each key has one item")
    func full() async throws {
        let order = try await outcomes(capacity: 2, arrivals: ["a", "b", "c"])
        #expect(order == ["c rejected", "a", "b"])
    }

    @Test("Work is dropped if nobody waits for it when a thread is free, and the next work runs")
    func abandoned() async throws {
        let pool = try FairPool(name: "test", threads: 1, capacity: 4)
        defer { pool.stop() }
        await #expect(throws: AbandonedWork.self) {
            try await pool.run(for: ["a"], while: { false }) { Issue.record("the work was done") }
        }
        #expect(try await pool.run(for: ["a"]) { 1 } == 1)
    }

    @Test("A pool runs work at a lower priority than the thread that created the pool", arguments: [0, 3])
    func niceness(inherited: Int32) async throws {
        // With a niceness of 3, the thread of this pool stands for a process that was started with a lower priority.
        let creator = try FairPool(name: "creator", threads: 1, capacity: 2, niceness: inherited)
        defer { creator.stop() }
        let pool = try await creator.run(for: ["test"]) {
            try FairPool(name: "test", threads: 1, capacity: 2, niceness: 5)
        }
        defer { pool.stop() }
        let (ofCreator, ofPool) = try await (
            creator.run(for: ["test"]) { shim_thread_niceness() }, pool.run(for: ["test"]) { shim_thread_niceness() }
        )
        #expect(ofCreator == shim_thread_niceness() + inherited)
        #expect(ofPool == ofCreator + 5)
    }

    /// Blocks a pool's only thread, and submits one item for each of `arrivals`: the item's keys, joined by slashes.
    /// Returns the order in which the items ran or were rejected.
    private func outcomes(capacity: Int, arrivals: [String]) async throws -> [String] {
        let pool = try FairPool(name: "test", threads: 1, capacity: capacity)
        let order = OrderRecorder()
        let gate = Mutex(true)
        let blocker = Task.detached { try await pool.run(for: ["blocker"]) { while gate.withLock({ $0 }) {} } }
        while pool.running == 0 { await Task.yield() }
        var tasks: [Task<Void, Never>] = []
        for (index, key) in arrivals.enumerated() {
            let path = key.split(separator: "/").map(String.init)
            tasks.append(
                Task.detached {
                    do { try await pool.run(for: path) { order.add(key) } } catch { order.add("\(key) rejected") }
                })
            // The blocker is the first arrival.
            while pool.arrivals < index + 2 { await Task.yield() }
            while order.rejections + pool.waiting < index + 1 { await Task.yield() }
        }
        gate.withLock { $0 = false }
        for task in tasks { await task.value }
        try await blocker.value
        pool.stop()
        return order.entries
    }
}

private final class OrderRecorder: Sendable {
    private let recorded = Mutex<[String]>([])
    var entries: [String] { recorded.withLock { $0 } }
    var rejections: Int { entries.count { $0.hasSuffix("rejected") } }
    func add(_ entry: String) { recorded.withLock { $0.append(entry) } }
}
