/// How far a transaction is isolated from others (PostgreSQL documentation, section 13.2).
public enum IsolationLevel: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
}

/// An open transaction. After its end, every call throws ``PostgresError/rejected(_:)`` with code 25P01.
public struct Transaction: Sendable {
    let pool: Pool
    let lease: UInt64

    /// Executes a statement and returns its rows.
    ///
    /// - Throws: as ``Pool/query(_:)``.
    public func query(_ sql: SQL) async throws -> [Row] {
        try await pool.run(.sql(sql), on: lease, timeLimit: nil).rows
    }

    /// Executes a statement.
    ///
    /// - Returns: the number of changed (or returned) rows.
    /// - Throws: as ``Pool/query(_:)``.
    @discardableResult
    public func execute(_ sql: SQL) async throws -> Int {
        try await pool.run(.sql(sql), on: lease, timeLimit: nil).affectedRows
    }
}

extension Pool {
    /// Commits the changes of `body`, or rolls them back if `body` throws. Does not retry.
    ///
    /// A failed statement aborts the transaction, even if `body` catches its error.
    ///
    /// - Throws: errors of `body`; ``PostgresError``. After ``PostgresError/unavailable(_:)`` or
    ///   ``PostgresError/timedOut`` from the `COMMIT` itself, the outcome is unknown.
    @discardableResult
    public nonisolated func transaction<Value>(
        isolation: IsolationLevel = .readCommitted, _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let lease = try await lease()
        let value: Value
        do {
            _ = try await run(.script("BEGIN ISOLATION LEVEL \(isolation.rawValue)"), on: lease, timeLimit: nil)
            value = try await body(Transaction(pool: self, lease: lease))
        } catch {
            await rollBack(lease)
            throw error
        }
        try await commit(lease)
        return value
    }

    private func commit(_ lease: UInt64) async throws {
        defer { release(lease) }
        let result = try await runIgnoringCancellation("COMMIT", on: lease)
        guard result.command == "COMMIT" else { throw PostgresError.rejected(.rolledBack) }
    }

    /// Does not wait for the `ROLLBACK` if the task is cancelled, because a statement may still be running.
    private func rollBack(_ lease: UInt64) async {
        guard !Task.isCancelled else {
            run(
                Statement(id: nextID(), text: .script("ROLLBACK"), timeLimit: configuration.statementDeadline),
                on: lease)
            return release(lease)
        }
        // If this fails, the connection is lost and the server rolls back.
        _ = try? await runIgnoringCancellation("ROLLBACK", on: lease)
        release(lease)
    }
}
