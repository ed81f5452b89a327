internal import EventLoop

/// Updates a database's schema, forward only.
///
/// Any number of processes may apply migrations at the same time. The table `schema_migration` records applied
/// migrations with the digests of their texts. Unknown migrations are accepted if they follow all known ones, so that
/// an older program can run beside a newer one.
public struct Migrator: Sendable {
    /// The key of the advisory lock, the same in all Sekisho processes: "sekisho" in ASCII.
    private static let lockKey: Int64 = 0x73656B6973686F
    /// The time limit of one migration in a transaction, and of each statement of a migration outside of transactions.
    /// ``apply(with:)`` also stops waiting for other processes this long after its own start.
    private static let timeLimit = Duration.seconds(3600)

    private let migrations: [Migration]
    private let lockTimeout: Duration

    /// - Parameter lockTimeout: how long a statement waits for a lock before the migration is rolled back and tried
    ///   again. Meanwhile, all statements that need a conflicting lock wait behind it, even reads.
    public init(migrations: [Migration], lockTimeout: Duration = .seconds(2)) {
        self.migrations = migrations
        self.lockTimeout = lockTimeout
    }

    /// Applies pending migrations in order. The pool needs a second connection if a migration runs outside of
    /// transactions.
    ///
    /// - Parameter onBlocked: called with the name of a migration each time that it did not get a lock in time.
    /// - Returns: the names of the migrations applied by this call.
    /// - Throws: ``MigrationError``; ``PostgresError`` if the database is unavailable. Migrations that were applied
    ///   before the error remain applied.
    public func apply(
        with pool: Pool, onBlocked: @Sendable (String) -> Void = { _ in }
    ) async throws -> [String] {
        var applied: [String] = []
        let deadline = ContinuousClock.now + Self.timeLimit
        while true {
            switch try await applyNext(with: pool) {
            case .nothing: return applied
            case .applied(let name): applied.append(name)
            case .locked:
                guard .now < deadline else { throw MigrationError.locked }
                try await pool.loop.sleep(for: .milliseconds(100))
            case .blocked(let name):
                guard .now < deadline else { throw MigrationError.blocked(name) }
                onBlocked(name)
                // The statements that waited behind the migration run before the next attempt.
                try await pool.loop.sleep(for: lockTimeout)
            }
        }
    }

    /// - Throws: ``MigrationError/unknown(_:)``; ``PostgresError`` if the database cannot be reached.
    public func status(with pool: Pool) async throws -> [MigrationStatus] {
        let applied = try await pool.transaction { try await ledger($0) }
        if let unknown = MigrationPlan.unknown(to: migrations, in: applied) { throw MigrationError.unknown(unknown) }
        return migrations.map { migration in
            let digest = applied[migration.name]
            let state: MigrationStatus.State =
                digest == nil ? .pending : digest == migration.digest ? .applied : .changed
            return MigrationStatus(name: migration.name, state: state)
        }
    }

    /// Whether all migrations are applied, and no unknown one before the last of them.
    ///
    /// - Parameter ledger: the digests of the applied migrations by name.
    public func isComplete(with ledger: [String: [UInt8]]) -> Bool {
        MigrationPlan.unknown(to: migrations, in: ledger) == nil
            && migrations.allSatisfy { ledger[$0.name] == $0.digest }
    }

    private enum Step {
        case nothing
        /// Another process holds the migration lock.
        case locked
        /// The migration was rolled back, because another transaction held a lock that it needs.
        case blocked(String)
        case applied(String)
    }

    /// Applies the next pending migration. Tries the lock without waiting, because a statement that waits for the lock
    /// would block `CREATE INDEX CONCURRENTLY`.
    private func applyNext(with pool: Pool) async throws -> Step {
        do {
            return try await tryNext(with: pool)
        } catch let error as LockTimeout {
            return .blocked(error.migration)
        }
    }

    private func tryNext(with pool: Pool) async throws -> Step {
        try await pool.transaction { transaction in
            let rows = try await transaction.query("SELECT pg_try_advisory_xact_lock(\(Self.lockKey)) AS is_acquired")
            guard try rows[0].decode("is_acquired", as: Bool.self) else { return .locked }
            let plan = try MigrationPlan(migrations, ledger: try await ledger(transaction))
            guard let next = plan.pending.first else { return .nothing }
            try await run(next, transaction, pool)
            try await record(next, transaction)
            return .applied(next.name)
        }
    }

    private func run(_ migration: Migration, _ transaction: Transaction, _ pool: Pool) async throws {
        let text = try migration.text()
        do {
            // This statement uses the simple query protocol, so it also closes the portal of the previous query. The
            // portal holds a snapshot, for which CREATE INDEX CONCURRENTLY would wait forever.
            let settings = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = \(lockTimeout.milliseconds)"
            _ = try await transaction.run(settings, timeLimit: Self.timeLimit)
            if migration.runsOutsideTransaction {
                try await pool.runOutsideTransaction(
                    statements(in: text), lockTimeout: lockTimeout, timeLimit: Self.timeLimit)
            } else {
                _ = try await transaction.run(text, timeLimit: Self.timeLimit)
            }
        } catch let error as PostgresError {
            if case .rejected(let rejection) = error, rejection.code == "55P03" {
                throw LockTimeout(migration: migration.name)
            }
            throw MigrationError.failed(migration.name, reason: error.description)
        }
    }

    private func record(_ migration: Migration, _ transaction: Transaction) async throws {
        if try await !hasLedger(transaction) {
            try await transaction.execute(
                """
                CREATE TABLE schema_migration (
                    name text PRIMARY KEY,
                    sha256 bytea NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                )
                """)
        }
        try await transaction.execute(
            """
            INSERT INTO schema_migration (name, sha256, applied_at)
            VALUES (\(migration.name), \(migration.digest), clock_timestamp())
            """)
    }

    private func ledger(_ transaction: Transaction) async throws -> [String: [UInt8]] {
        guard try await hasLedger(transaction) else { return [:] }
        let rows = try await transaction.query("SELECT name, sha256 FROM schema_migration")
        return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.decode("name"), try $0.decode("sha256")) })
    }

    private func hasLedger(_ transaction: Transaction) async throws -> Bool {
        let rows = try await transaction.query("SELECT to_regclass('schema_migration') IS NOT NULL AS ledger_exists")
        return try rows[0].decode("ledger_exists")
    }
}

/// The SQLSTATE 55P03 (`lock_not_available`).
private struct LockTimeout: Error {
    let migration: String
}

extension Transaction {
    /// Executes several statements in one message, without parameters.
    fileprivate func run(_ script: String, timeLimit: Duration) async throws -> ResultSet {
        try await pool.run(.script(script), on: lease, timeLimit: timeLimit)
    }
}

extension Pool {
    /// Executes statements one by one on one connection, outside of transactions.
    ///
    /// - Parameter lockTimeout: applies to all statements but those with `CONCURRENTLY`. These wait for the end of
    ///   other transactions, and nothing waits behind them.
    fileprivate func runOutsideTransaction(
        _ statements: [String], lockTimeout: Duration, timeLimit: Duration
    ) async throws {
        let lease = try await lease()
        defer { release(lease) }
        _ = try await run(.script("SET statement_timeout = 0"), on: lease, timeLimit: nil)
        do {
            for statement in statements {
                let limit = statement.contains("CONCURRENTLY") ? 0 : lockTimeout.milliseconds
                _ = try await run(.script("SET lock_timeout = \(limit)"), on: lease, timeLimit: nil)
                _ = try await run(.script(statement), on: lease, timeLimit: timeLimit)
            }
        } catch {
            run(timeoutReset(), on: lease)
            throw error
        }
        run(timeoutReset(), on: lease)
    }

    private func timeoutReset() -> Statement {
        Statement(
            id: nextID(), text: .script("RESET statement_timeout; RESET lock_timeout"),
            timeLimit: configuration.statementDeadline)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
