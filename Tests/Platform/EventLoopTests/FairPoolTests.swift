import EventLoop
import Synchronization
import Testing

@Suite("A fair pool")
struct FairPoolTests {
    @Test("serves keys in turn, however many one of them brings")
    func fairness() async throws {
        let order = try await served(capacity: 16, arrivals: ["busy", "busy", "busy", "quiet"])
        #expect(order == ["busy", "quiet", "busy", "busy"])
    }

    @Test("serves wide keys in turn, however many narrow ones one of them brings")
    func wideFairness() async throws {
        let order = try await served(capacity: 16, arrivals: ["busy/1", "busy/2", "busy/3", "quiet/1"])
        #expect(order == ["busy/1", "quiet/1", "busy/2", "busy/3"])
    }

    @Test("refuses a key that would fill more than half of the room")
    func half() async throws {
        let order = try await served(capacity: 4, arrivals: ["busy", "busy", "busy"])
        #expect(order == ["busy refused", "busy", "busy"])
    }

    @Test("in a full room, a newcomer displaces the latest arrival of the key that waits with most")
    func displacement() async throws {
        let order = try await served(capacity: 4, arrivals: ["busy", "busy", "b", "c", "newcomer"])
        #expect(order == ["busy refused", "busy", "b", "c", "newcomer"])
    }

    @Test("in a full room where all wait with one, a newcomer is refused")
    func full() async throws {
        let order = try await served(capacity: 2, arrivals: ["a", "b", "c"])
        #expect(order == ["c refused", "a", "b"])
    }

    /// Blocks the pool's only thread, lets `arrivals` (their keys with slashes between) come one after the other, and tells who was served when.
    private func served(capacity: Int, arrivals: [String]) async throws -> [String] {
        let pool = try FairPool(name: "test", threads: 1, capacity: capacity)
        let order = Log()
        let gate = Mutex(true)
        let blocker = Task.detached { try await pool.run(for: ["blocker"]) { while gate.withLock({ $0 }) {} } }
        while pool.running == 0 { await Task.yield() }
        var tasks: [Task<Void, Never>] = []
        for (index, key) in arrivals.enumerated() {
            let path = key.split(separator: "/").map(String.init)
            tasks.append(
                Task.detached {
                    do { try await pool.run(for: path) { order.add(key) } } catch { order.add("\(key) refused") }
                })
            while pool.arrivals < index + 2 { await Task.yield() }
            while order.refusals + pool.waiting < index + 1 { await Task.yield() }
        }
        gate.withLock { $0 = false }
        for task in tasks { await task.value }
        try await blocker.value
        pool.stop()
        return order.entries
    }
}

private final class Log: Sendable {
    private let kept = Mutex<[String]>([])
    var entries: [String] { kept.withLock { $0 } }
    var refusals: Int { entries.count { $0.hasSuffix("refused") } }
    func add(_ entry: String) { kept.withLock { $0.append(entry) } }
}
