import Encoding
import EventLoop
import Foundation
import Postgres
import Testing

@Suite("Transactions")
struct TransactionTests {
    struct BodyFailed: Error {}

    /// Runs `body` with a pool, and with a unique key for its rows in the table `ledger`, which all tests share.
    func withTable(
        connections: Int = 4, _ body: @escaping @Sendable (Pool, String) async throws -> Void
    ) async throws {
        let key = UUID().uuidString
        try await withPool {
            $0.connections = connections
        } _: { pool in
            try await pool.transaction { transaction in
                // Any number will do: the lock keeps tests from creating the table at the same time.
                try await transaction.execute("SELECT pg_advisory_xact_lock(4711)")
                try await transaction.execute("CREATE TABLE IF NOT EXISTS ledger (key text, n bigint)")
            }
            try await body(pool, key)
        }
    }

    static func count(_ pool: Pool, _ key: String) async throws -> Int {
        try await pool.query("SELECT count(*) AS n FROM ledger WHERE key = \(key)")[0].decode("n")
    }

    @Test("A transaction commits if its body returns, and rolls back if its body throws")
    func commitAndRollback() async throws {
        try await withTable { pool, key in
            let answer = try await pool.transaction { transaction async throws in
                try await transaction.execute("INSERT INTO ledger VALUES (\(key), 1)")
                #expect(try await Self.count(pool, key) == 0, "the row is not visible outside the transaction")
                return 42
            }
            #expect(answer == 42)
            #expect(try await Self.count(pool, key) == 1)
            await #expect(throws: BodyFailed.self) {
                try await pool.transaction { transaction in
                    try await transaction.execute("INSERT INTO ledger VALUES (\(key), 2)")
                    throw BodyFailed()
                }
            }
            #expect(try await Self.count(pool, key) == 1)
        }
    }

    @Test("If the body of a transaction ignores an error, the transaction throws instead of reporting a commit")
    func swallowed() async throws {
        try await withTable { pool, key async throws in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    try await transaction.execute("INSERT INTO ledger VALUES (\(key), 1)")
                    // Ignores the error on purpose.
                    _ = try? await transaction.query("SELECT 1 / 0")
                }
            }
            guard case .rejected(let rejection) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(rejection.code == "25P02", "in_failed_sql_transaction")
            #expect(try await Self.count(pool, key) == 0)
        }
    }

    @Test("A transaction cannot be used after its end")
    func afterwards() async throws {
        try await withPool { pool in
            let kept = try await pool.transaction { $0 }
            let error = await #expect(throws: PostgresError.self) { try await kept.query("SELECT 1") }
            guard case .rejected(let rejection) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(rejection.code == "25P01", "no_active_sql_transaction")
        }
    }

    @Test("A transaction that conflicts with another change reports a serialization failure")
    func serialization() async throws {
        try await withTable { pool, key in
            try await pool.execute("INSERT INTO ledger VALUES (\(key), 0)")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(isolation: .repeatableRead) { transaction in
                    _ = try await transaction.query("SELECT n FROM ledger WHERE key = \(key)")
                    try await pool.execute("UPDATE ledger SET n = 5 WHERE key = \(key)")
                    try await transaction.execute("UPDATE ledger SET n = n + 1 WHERE key = \(key)")
                }
            }
            #expect(error?.isTransactionConflict == true)
        }
    }

    @Test("A cancelled transaction is rolled back and frees its connection")
    func cancelled() async throws {
        try await withTable(connections: 1) { pool, key async throws in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task(executorPreference: pool.loop) {
                try await pool.transaction { transaction in
                    try await transaction.execute("INSERT INTO ledger VALUES (\(key), 1)")
                    start.finish()
                    _ = try await transaction.query("SELECT pg_sleep(0.3)")
                }
            }
            for await _ in started {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await pool.transaction { try await $0.execute("SELECT 1") }
            #expect(try await Self.count(pool, key) == 0)
        }
    }
}
