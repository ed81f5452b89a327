import Encoding
import EventLoop
import Foundation
import Postgres
import Testing

@Suite("Pools")
struct PoolTests {
    @Test("A pool answers 200 concurrent queries over at most 2 connections")
    func concurrency() async throws {
        try await withPool {
            $0.connections = 2
        } _: { pool in
            let answers = try await withThrowingTaskGroup(of: [Int].self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let row = try await pool.query("SELECT \(number) AS number, pg_backend_pid() AS pid")[0]
                        return [try row.decode("number"), try row.decode("pid")]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map { $0[0] }.sorted() == Array(0..<200))
            #expect(Set(answers.map { $0[1] }).count <= 2)
        }
    }

    @Test("A cancelled caller gets CancellationError, and the connection is reused")
    func cancellation() async throws {
        try await withPool {
            $0.connections = 1
        } _: { pool in
            let pid: Int = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
            let running = Task(executorPreference: pool.loop) { try await pool.query("SELECT pg_sleep(2)") }
            let waiting = Task(executorPreference: pool.loop) { try await pool.query("SELECT 1") }
            try await pool.loop.sleep(for: .milliseconds(20))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid") == pid)
        }
    }

    @Test(
        "A statement ends after its deadline: the server ends it, or the pool closes the connection",
        arguments: [true, false])
    func statementDeadline(serverKnowsTheDeadline: Bool) async throws {
        try await withPool {
            $0.connections = 1
            $0.statementDeadline = .seconds(1)
            $0.setsStartupOptions = serverKnowsTheDeadline
        } _: { pool in
            let pid: Int = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT pg_sleep(60)") }
            guard case .timedOut = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let next: Int = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
            #expect((next == pid) == serverKnowsTheDeadline)
        }
    }

    @Test("A caller is rejected if no connection becomes free in time, or if too many callers wait")
    func waitingLimit() async throws {
        try await withPool {
            $0.connections = 1
            $0.waitingLimit = 1
            $0.acquireDeadline = .milliseconds(200)
        } _: { pool in
            try await pool.transaction { _ in
                let waiting = Task(executorPreference: pool.loop) { try await pool.query("SELECT 1") }
                try await pool.loop.sleep(for: .milliseconds(20))
                // The second caller exceeds the waiting limit. The first caller waits until its deadline.
                for caller in [Task(executorPreference: pool.loop) { try await pool.query("SELECT 2") }, waiting] {
                    await expectUnavailable { try await caller.value }
                }
            }
            #expect(await pool.isReachable())
        }
    }

    @Test("A connection with an open transaction is not reused")
    func strayTransaction() async throws {
        try await withPool {
            $0.connections = 1
        } _: { pool in
            let pid: Int = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
            try await pool.execute("BEGIN")
            #expect(try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid") != pid)
        }
    }

    @Test("Three pools share five connections: each always has one, and one pool can have at most three")
    func budget() async throws {
        let budget = ConnectionBudget(connections: 5, pools: 3)
        /// The number of sessions that a pool uses for ten statements.
        @Sendable func sessions(of pool: Pool, sleeping seconds: Double = 0.02) async throws -> Int {
            let ids = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await pool.query("SELECT pg_backend_pid() AS pid, pg_sleep(\(seconds))")[0].decode("pid")
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            return ids.count
        }
        let change: @Sendable (inout Pool.Configuration) -> Void = { configuration in
            configuration.budget = budget
            configuration.connections = 4
            // Longer than a busy machine takes to begin the statements of the first pool again.
            configuration.idleLimit = .seconds(1)
        }
        try await withPool(change) { first in
            #expect(try await sessions(of: first) == 3)
            try await withPool(change) { second in
                let busy = Task { try await sessions(of: first, sleeping: 0.5) }
                try await second.loop.sleep(for: .milliseconds(50))
                #expect(try await sessions(of: second) == 1, "the first pool has all shared connections")
                #expect(try await busy.value == 3)
                for _ in 0..<100 where try await sessions(of: second) < 3 {
                    try await second.loop.sleep(for: .milliseconds(50))
                }
                #expect(try await sessions(of: second) == 3, "the idle connections of the first pool have ended")
            }
        }
    }

    @Test("A budget can be lowered, but leaves each pool one connection")
    func lowerBudget() async throws {
        let budget = ConnectionBudget(connections: 12, pools: 3)
        budget.lower(to: 20)
        #expect(budget.connections == 12)
        budget.lower(to: 2)
        #expect(budget.connections == 3)
        try await withPool {
            $0.budget = budget
        } _: { pool async throws in
            #expect(try await pool.read("SELECT 1 AS one").count == 1, "without a connection for reads")
        }
    }

    @Test("A pool closes after its running transaction, and cannot be used afterwards")
    func close() async throws {
        try await withPool { pool async throws in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let work = Task(executorPreference: pool.loop) {
                try await pool.transaction { transaction in
                    start.finish()
                    _ = try await transaction.query("SELECT pg_sleep(0.1)")
                    return try await transaction.query("SELECT 7 AS n")[0].decode("n", as: Int.self)
                }
            }
            for await _ in started {}
            await pool.close()
            #expect(try await work.value == 7)
            #expect(await !pool.isReachable())
        }
    }
}
