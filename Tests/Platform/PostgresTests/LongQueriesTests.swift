import EventLoop
import Postgres
import Synchronization
import Testing

@Suite("Long queries")
struct LongQueriesTests {
    /// Holds the calls of owners until ``open()``.
    private final class Gate: Sendable {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        private let counts = Mutex((running: 0, most: 0))

        var most: Int { counts.withLock(\.most) }

        func open() { continuation.finish() }

        /// Starts a call that holds its connection until the gate opens.
        func call(of owner: String, on pool: Pool) -> Task<Void, any Error> {
            Task(executorPreference: pool.loop) { [self] in
                try await pool.withLongQueries(of: owner) {
                    counts.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
                    defer { counts.withLock { $0.running -= 1 } }
                    try await pool.transaction { _ in for await _ in stream {} }
                }
            }
        }
    }

    @Test("The calls of one owner run one after another, and those of another owner do not wait for them")
    func perOwner() async throws {
        try await withPool {
            $0.connections = 4
        } _: { pool in
            let gate = Gate()
            let calls = (0..<8).map { _ in gate.call(of: "a", on: pool) }
            try await pool.loop.sleep(for: .milliseconds(20))
            let row = try await pool.withLongQueries(of: "b") { try await pool.query("SELECT 1 AS one") }[0]
            #expect(try row.decode("one") == 1)
            gate.open()
            for call in calls { try await call.value }
            #expect(gate.most == 1)
        }
    }

    @Test("The calls of all owners together leave a connection to other callers", arguments: [2, 4])
    func total(connections: Int) async throws {
        try await withPool {
            $0.connections = connections
        } _: { pool in
            let gates = (0..<6).map { _ in Gate() }
            let calls = gates.enumerated().map { $0.element.call(of: "owner \($0.offset)", on: pool) }
            try await pool.loop.sleep(for: .milliseconds(20))
            _ = try await pool.query("SELECT 1")
            #expect(gates.map(\.most).reduce(0, +) == connections - 1)
            for gate in gates { gate.open() }
            for call in calls { try await call.value }
        }
    }

    @Test("A pool with one connection runs long queries too, and a failed call does not block the next one")
    func singleConnection() async throws {
        try await withPool {
            $0.connections = 1
        } _: { pool in
            for owner in ["a", "a", "b"] {
                await #expect(throws: PostgresError.self) {
                    try await pool.withLongQueries(of: owner) { try await pool.query("SELECT 1 / 0") }
                }
            }
            _ = try await pool.withLongQueries(of: "a") { try await pool.query("SELECT 1") }
        }
    }

    @Test("A call is rejected if 16 calls of its owner wait, or if it waits too long; a cancelled one stops waiting")
    func rejected() async throws {
        try await withPool {
            $0.connections = 4
            $0.acquireDeadline = .milliseconds(300)
        } _: { pool in
            let gate = Gate()
            let first = gate.call(of: "a", on: pool)
            try await pool.loop.sleep(for: .milliseconds(20))
            let waiting = (0..<16).map { _ in gate.call(of: "a", on: pool) }
            try await pool.loop.sleep(for: .milliseconds(20))
            await expectUnavailable { try await gate.call(of: "a", on: pool).value }
            waiting[0].cancel()
            await #expect(throws: CancellationError.self) { try await waiting[0].value }
            for call in waiting.dropFirst() { await expectUnavailable { try await call.value } }
            gate.open()
            try await first.value
            try await gate.call(of: "a", on: pool).value
        }
    }

    @Test("Closing the pool rejects the calls that wait")
    func closing() async throws {
        try await withPool {
            $0.connections = 4
        } _: { pool in
            // Opens a connection, so that the first call has one before the pool closes.
            _ = try await pool.query("SELECT 1")
            let gate = Gate()
            let calls = (0..<2).map { _ in gate.call(of: "a", on: pool) }
            try await pool.loop.sleep(for: .milliseconds(20))
            async let closed: Void = pool.close()
            await expectUnavailable { try await calls[1].value }
            gate.open()
            try await calls[0].value
            await closed
            await expectUnavailable { try await gate.call(of: "b", on: pool).value }
        }
    }
}
