import Encoding
import Foundation
import Postgres
import PrivatePostgres
import Testing

@Suite("Migrators")
struct MigratorTests {
    static let accounts = Migration(
        "m0001_accounts",
        """
        CREATE TABLE account (id bigint PRIMARY KEY, note text DEFAULT 'a;b');
        CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $body$ BEGIN RETURN 1; END $body$;
        """)
    static let sessions = Migration(
        "m0002_sessions", "CREATE TABLE session (account bigint NOT NULL REFERENCES account (id));")
    static let index = Migration(
        "m0003_index",
        """
        -- no-transaction
        DROP INDEX IF EXISTS session_account;
        CREATE INDEX CONCURRENTLY session_account ON session (account);
        """)
    static let all = [accounts, sessions, index]

    /// Runs `body` with a pool of a new database, and with the URL of the database.
    func withDatabase(_ body: @escaping @Sendable (Pool, String) async throws -> Void) async throws {
        let name = "migrator-\(UUID())"
        let server = try TestServer.shared.get()
        try server.createDatabase(named: name)
        let url = server.url(database: name)
        try await withPool(url: url) { try await body($0, url) }
        try server.dropDatabase(named: name)
    }

    @Test("Pending migrations are applied once, in order, and an older program accepts later migrations")
    func order() async throws {
        try await withDatabase { pool, _ async throws in
            let first = Migrator(migrations: [Self.accounts])
            #expect(try await first.apply(with: pool) == ["m0001_accounts"])
            let all = Migrator(migrations: Self.all)
            #expect(try await all.status(with: pool).map(\.state) == [.applied, .pending, .pending])
            #expect(try await all.apply(with: pool) == ["m0002_sessions", "m0003_index"])
            #expect(try await all.apply(with: pool) == [])
            #expect(try await all.status(with: pool).map(\.state) == [.applied, .applied, .applied])
            #expect(try await first.apply(with: pool) == [], "an older program beside a newer one")
            let valid: SQL = "SELECT indisvalid AS v FROM pg_index WHERE indexrelid = 'session_account'::regclass"
            #expect(try await pool.query(valid)[0].decode("v", as: Bool.self))
        }
    }

    @Test("Each migration is applied once even if several migrators start at the same time")
    func concurrency() async throws {
        try await withDatabase { _, url in
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await withPool(url: url) { try await Migrator(migrations: Self.all).apply(with: $0) }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(applied.sorted() == Self.all.map(\.name))
        }
    }

    struct Rejection: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The migrations that are applied first.
        let applied: [Migration]
        /// The list that is rejected afterwards.
        let list: [Migration]
        let error: MigrationError
    }

    static let rejections = [
        Rejection(
            testDescription: "the text of an applied migration has changed", applied: [accounts, sessions],
            list: [Migration("m0001_accounts", "SELECT 1"), sessions, index], error: .changed("m0001_accounts")),
        Rejection(
            testDescription: "the list lacks an applied migration", applied: [accounts, sessions],
            list: [accounts, index], error: .unknown("m0002_sessions")),
        Rejection(
            testDescription: "a new migration comes before an applied one", applied: [accounts, sessions],
            list: [accounts, Migration("m0001a_late", "SELECT 1"), sessions], error: .outOfOrder("m0001a_late")),
        Rejection(
            testDescription: "the list is not sorted", applied: [],
            list: [sessions, accounts], error: .outOfOrder("m0001_accounts")),
        Rejection(
            testDescription: "the text is not UTF-8", applied: [],
            list: [Migration(name: "m0001_bytes", sql: [0xC3, 0x28])], error: .unreadable("m0001_bytes")),
    ]

    @Test(
        "A list is rejected if it contradicts the applied migrations, is not sorted, or has a text that is not UTF-8",
        arguments: rejections)
    func rejected(row: Rejection) async throws {
        try await withDatabase { pool, _ in
            _ = try await Migrator(migrations: row.applied).apply(with: pool)
            let migrator = Migrator(migrations: row.list)
            await #expect(throws: row.error) { try await migrator.apply(with: pool) }
            if case .unknown = row.error { await #expect(throws: row.error) { try await migrator.status(with: pool) } }
            #expect(try await Migrator(migrations: row.applied).apply(with: pool) == [])
        }
    }

    @Test(
        "While another transaction holds a lock that a migration needs, reads go on; then the migration is applied",
        .timeLimit(.minutes(5)))
    func lockTimeout() async throws {
        try await withDatabase { pool, url in
            _ = try await Migrator(migrations: [Self.accounts]).apply(with: pool)
            let migrator = Migrator(
                migrations: [Self.accounts, Migration("m0002_column", "ALTER TABLE account ADD age int")],
                lockTimeout: .milliseconds(50))
            let (attempts, progress) = AsyncStream.makeStream(of: String.self)
            let migrated = Task {
                try await withPool(url: url) { try await migrator.apply(with: $0) { progress.yield($0) } }
            }
            try await pool.transaction { reader in
                _ = try await reader.query("SELECT FROM account")
                var blocked = attempts.makeAsyncIterator()
                for _ in 0..<3 {
                    #expect(await blocked.next() == "m0002_column")
                    _ = try await pool.query("SELECT FROM account")
                }
            }
            #expect(try await migrated.value == ["m0002_column"])
        }
    }

    @Test("A failed migration is rolled back, and those before it are kept")
    func failure() async throws {
        try await withDatabase { pool, _ in
            let broken = Migration("m0002_broken", "CREATE TABLE half (id int); SELECT 1 / 0;")
            let migrator = Migrator(migrations: [Self.accounts, broken])
            let error = await #expect(throws: MigrationError.self) { try await migrator.apply(with: pool) }
            guard case .failed("m0002_broken", let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("22012"), "division_by_zero")
            let tables = try await pool.query(
                "SELECT to_regclass('half') IS NULL AS no_half, to_regclass('account') IS NOT NULL AS account")[0]
            #expect(try tables.decode("no_half", as: Bool.self))
            #expect(try tables.decode("account", as: Bool.self))
            #expect(try await migrator.status(with: pool).map(\.state) == [.applied, .pending])
        }
    }

    @Test(
        "A script with `-- no-transaction` is split only at the semicolons between statements",
        arguments: [
            "SELECT ';'", "SELECT E'\\';'", "SELECT 'it''s;'", "SELECT 1 AS \"a;b\"", "SELECT $$;$$",
            "SELECT $x$;$$;$x$",
            "SELECT 1 -- ;\n", "SELECT /* ; /* ; */ ; */ 1", "SELECT 1 AS a$b$c", "SELECT '\\'",
        ])
    func split(statement: String) async throws {
        try await withDatabase { pool, _ in
            let script = "-- no-transaction\nCREATE TABLE one ();\n\(statement);;\n-- end;\nCREATE TABLE two ()"
            let migrator = Migrator(migrations: [Migration("m0001", script)])
            #expect(try await migrator.apply(with: pool) == ["m0001"])
            let two = try await pool.query("SELECT to_regclass('two') IS NOT NULL AS two")[0]
            #expect(try two.decode("two", as: Bool.self))
        }
    }
}

extension Migration {
    init(_ name: String, _ sql: String) {
        self.init(name: name, sql: Array(sql.utf8))
    }
}
