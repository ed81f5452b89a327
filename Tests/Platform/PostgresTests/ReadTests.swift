import Encoding
import EventLoop
import Foundation
import Postgres
import PrivatePostgres
import Testing

@Suite("Pipelined reads")
struct ReadTests {
    @Test(
        "Each caller of concurrent reads gets its own result, over one additional session",
        arguments: [StatementPreparation.own, .shared, .none])
    func together(preparation: StatementPreparation) async throws {
        try await withReader {
            $0.preparation = preparation
        } _: { pool, session in
            // A shared statement is prepared when the session rejects its first execution.
            _ = try await readConcurrently(0..<1, on: pool)
            let answers = try await readConcurrently(0..<200, on: pool)
            #expect(answers.map(\.number) == Array(0..<200))
            #expect(Set(answers.map(\.session)) == [session])
        }
    }

    @Test("Reads continue while all of the pool's connections are in use")
    func besideTransactions() async throws {
        try await withReader { pool, session in
            // The pool has one connection.
            try await pool.transaction { _ in
                let sessionDuringTransaction = try await readSession(of: pool)
                #expect(sessionDuringTransaction == session)
            }
        }
    }

    /// The SQLSTATE codes mean "division by zero" and "undefined column".
    @Test(
        "The caller of a rejected read gets its error, and concurrent reads succeed",
        arguments: [("SELECT 1 / (SELECT 0)", "22012"), ("SELECT nonsense", "42703")] as [(SQL, String)])
    func oneFails(statement: SQL, code: String) async throws {
        try await withReader { pool, session in
            for _ in 0..<2 {
                let failing = Task(executorPreference: pool.loop) {
                    _ = try await readConcurrently(0..<5, on: pool)
                    return try await pool.read(statement)
                }
                let answers = try await readConcurrently(0..<50, on: pool)
                #expect(answers.map(\.number) == Array(0..<50))
                let error = await #expect(throws: PostgresError.self) { try await failing.value }
                guard case .rejected(let rejection)? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(rejection.code == code)
            }
            #expect(try await readSession(of: pool) == session)
        }
    }

    @Test("One failing read among thirty does not affect the others")
    func neighbours() async throws {
        try await withReader { pool, _ in
            let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
                for number in 0..<30 {
                    group.addTask {
                        do {
                            let row = try await pool.read("SELECT 60 / (\(number) - 15) AS quotient")[0]
                            return (number, try row.decode("quotient", as: Int.self) == 60 / (number - 15))
                        } catch { return (number, number == 15) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 30 && outcomes.allSatisfy(\.1))
        }
    }

    @Test("Reads are executed on another connection if their session is terminated")
    func terminated() async throws {
        try await withReader { pool, session in
            let slow = Task(executorPreference: pool.loop) { try await pool.read("SELECT pg_sleep(0.2)").count }
            let after = Task(executorPreference: pool.loop) { try await readConcurrently(0..<20, on: pool) }
            try await pool.loop.sleep(for: .milliseconds(20))
            _ = try await pool.query("SELECT pg_terminate_backend(\(session))")
            #expect(try await slow.value == 1)
            #expect(try await after.value.map(\.number) == Array(0..<20))
            try await waitForReadSession(of: pool)
            #expect(try await readSession(of: pool) != session)
        }
    }

    @Test("Each read has its own deadline, which the server or the pool enforces", arguments: [true, false])
    func deadline(serverKnowsTheDeadline: Bool) async throws {
        try await withReader {
            $0.statementDeadline = .milliseconds(1500)
        } _: { pool, session in
            if !serverKnowsTheDeadline {
                // Turns off the server's time limit for the session of the reads.
                _ = try await pool.read("SELECT set_config('statement_timeout', '0', false)")
            }
            let slow = Task(executorPreference: pool.loop) { try await pool.read("SELECT pg_sleep(60)") }
            // The deadlines of the later reads are one second after that of the slow read.
            try await pool.loop.sleep(for: .seconds(1))
            let after = Task(executorPreference: pool.loop) { try await readConcurrently(0..<20, on: pool) }
            let error = await #expect(throws: PostgresError.self) { try await slow.value }
            guard case .timedOut = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await after.value.map(\.number) == Array(0..<20))
            try await waitForReadSession(of: pool)
            #expect((try await readSession(of: pool) == session) == serverKnowsTheDeadline)
        }
    }

    @Test("A cancelled read resumes its caller at once, and the session continues")
    func cancelled() async throws {
        try await withReader { pool, session in
            try await withPool { holder in
                try await holder.transaction { transaction in
                    let lock: SQL = "SELECT pg_advisory_xact_lock(1)"
                    _ = try await transaction.query(lock)
                    let slow = Task(executorPreference: pool.loop) { try await pool.read(lock) }
                    let waiting: SQL = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                    while try await transaction.query(waiting).isEmpty {
                        try await pool.loop.sleep(for: .milliseconds(5))
                    }
                    slow.cancel()
                    // The statement still waits for the lock.
                    await #expect(throws: CancellationError.self) { try await slow.value }
                    #expect(try await transaction.query(waiting).count == 1)
                }
            }
            #expect(try await readSession(of: pool) == session)
        }
    }

    @Test(
        "Reads see the current table even if it has changed since their statement was prepared", .serialized,
        arguments: [StatementPreparation.own, .shared])
    func alteredTable(preparation: StatementPreparation) async throws {
        try await withReader {
            $0.preparation = preparation
        } _: { pool, session in
            try await pool.execute("CREATE TABLE altered AS SELECT 1 AS a")
            #expect(try await pool.read("SELECT * FROM altered")[0].decode("a", as: Int.self) == 1)
            try await pool.execute("ALTER TABLE altered ADD b int NOT NULL DEFAULT 2")
            for _ in 0..<2 {
                #expect(try await pool.read("SELECT * FROM altered")[0].decode("b", as: Int.self) == 2)
            }
            try await pool.execute("DROP TABLE altered")
            #expect(try await readSession(of: pool) == session)
        }
    }

    @Test("Queries and reads use an index even if the table has few rows")
    func plansByKey() async throws {
        try await withReader { pool, _ in
            try await pool.execute("CREATE TABLE few AS SELECT n AS id FROM generate_series(1, 5) n")
            try await pool.execute("CREATE UNIQUE INDEX few_id ON few (id)")
            try await pool.execute("ANALYZE few")
            let explain: SQL = "EXPLAIN SELECT FROM few WHERE id = 3"
            let plans = try await (pool.query(explain)[0], pool.read(explain)[0])
            for plan in [plans.0, plans.1] {
                #expect(try plan.decode("QUERY PLAN", as: String.self).hasPrefix("Index Only Scan"))
            }
            try await pool.execute("DROP TABLE few")
        }
    }

    @Test("Reads in progress succeed when the pool is closed, and later reads are rejected")
    func closing() async throws {
        try await withReader { pool, _ in
            let slow = Task(executorPreference: pool.loop) { try await pool.read("SELECT pg_sleep(0.1)").count }
            try await pool.loop.sleep(for: .milliseconds(20))
            let closing = Task(executorPreference: pool.loop) { await pool.close() }
            try await pool.loop.sleep(for: .milliseconds(20))
            await expectUnavailable { try await pool.read("SELECT 1") }
            #expect(try await slow.value == 1)
            await closing.value
        }
    }

    @Test("Reads fail during an outage, and succeed after it")
    func outage() async throws {
        let directory = try TestServer.temporaryDirectory()
        let first = try PrivatePostgres.start(directory: directory, durable: false)
        defer { TestServer.removeFolders(of: first) }
        try await withPool(url: first.url()) {
            $0.connections = 1
        } _: { pool in
            try await waitForReadSession(of: pool)
            let interrupted = Task(executorPreference: pool.loop) { try await pool.read("SELECT pg_sleep(60)") }
            try await pool.loop.sleep(for: .milliseconds(20))
            first.stop()
            await expectUnavailable { try await interrupted.value }
            for _ in 0..<10 { await expectUnavailable { try await pool.read("SELECT 1") } }

            let second = try PrivatePostgres.start(directory: directory, durable: false)
            defer { second.stop() }
            for _ in 0..<100 where await !pool.isReachable() { try await pool.loop.sleep(for: .milliseconds(50)) }
            try await waitForReadSession(of: pool)
            #expect(try await readConcurrently(0..<20, on: pool).map(\.number) == Array(0..<20))
        }
    }

    /// The process ID of the session that executes a read.
    private func readSession(of pool: Pool) async throws -> Int32 {
        try await pool.read("SELECT pg_backend_pid() AS pid")[0].decode("pid")
    }

    /// Runs `body` with a pool of one connection whose read session is open, and with the process ID of that session.
    private func withReader(
        _ change: @escaping (inout Pool.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (Pool, Int32) async throws -> Void
    ) async throws {
        try await withPool {
            $0.connections = 1
            change(&$0)
        } _: { pool in
            try await waitForReadSession(of: pool)
            try await body(pool, readSession(of: pool))
        }
    }
}

/// Reads until the pool's read session is open. Until then, the only other connection of the pool executes the reads.
private func waitForReadSession(of pool: Pool) async throws {
    for _ in 0..<6000 {
        let pid: SQL = "SELECT pg_backend_pid() AS pid"
        let (own, reader) = try await (pool.query(pid)[0], pool.read(pid)[0])
        if try own.decode("pid", as: Int32.self) != reader.decode("pid", as: Int32.self) { return }
        try await pool.loop.sleep(for: .milliseconds(10))
    }
    Issue.record("there is no session for reads")
}

private struct Answer {
    /// The number that the caller reads.
    let expected: Int
    /// The number in the result.
    let number: Int
    /// The process ID of the session that executed the read.
    let session: Int32
}

/// Reads each number in its own concurrent call, and returns the answers in the order of the numbers.
private func readConcurrently(_ numbers: Range<Int>, on pool: Pool) async throws -> [Answer] {
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for number in numbers {
            group.addTask {
                let row = try await pool.read("SELECT \(number) AS number, pg_backend_pid() AS pid")[0]
                return Answer(expected: number, number: try row.decode("number"), session: try row.decode("pid"))
            }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    return answers.sorted { $0.expected < $1.expected }
}
