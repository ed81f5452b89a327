import Encoding
import Foundation
import Postgres
import Testing

@Suite("Queries")
struct QueryTests {
    @Test("Text that looks like SQL is treated as data")
    func injection() async throws {
        try await withPool { pool in
            let evil = "x'; DROP TABLE victim; --"
            let found = try await pool.transaction { transaction in
                try await transaction.execute("CREATE TEMPORARY TABLE victim (note text)")
                try await transaction.execute("INSERT INTO victim VALUES (\(evil))")
                return try await transaction.query("SELECT note FROM victim WHERE note = \(evil)")
            }
            #expect(try found.map { try $0.decode("note", as: String.self) } == [evil])
        }
    }

    @Test("`execute` returns the number of changed rows, and `query` returns no rows for an INSERT without RETURNING")
    func affectedRows() async throws {
        try await withPool { pool in
            let counts = try await pool.transaction { transaction in
                try await transaction.execute("CREATE TEMPORARY TABLE number (n bigint)")
                return [
                    try await transaction.execute("INSERT INTO number SELECT generate_series(1, 7)"),
                    try await transaction.execute("DELETE FROM number WHERE n > \(4)"),
                    try await transaction.query("INSERT INTO number VALUES (9)").count,
                ]
            }
            #expect(counts == [7, 3, 0])
        }
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sql: SQL
        let isExpected: @Sendable (PostgresError) -> Bool
    }

    static let secret = "hunter2"
    static let failures = [
        Failure(
            testDescription: "a unique violation",
            sql: "INSERT INTO pg_temp.member VALUES (\(secret), 1), (\(secret), 2)"
        ) {
            $0.violatedUniqueConstraint == "member_name_key" && !$0.isTransactionConflict
        },
        Failure(testDescription: "a check violation", sql: "INSERT INTO pg_temp.member VALUES (\(secret), -1)") {
            if case .rejected(let rejection) = $0 {
                rejection.code == "23514" && rejection.constraint == "age_positive"
            } else {
                false
            }
        },
        Failure(testDescription: "text that is not a UUID", sql: "SELECT \(secret)::uuid") {
            if case .rejected(let rejection) = $0 {
                rejection.code == "22P02" && rejection.message.isEmpty
            } else {
                false
            }
        },
        Failure(testDescription: "invalid JSON", sql: "SELECT \("{" + secret)::jsonb") {
            if case .rejected(let rejection) = $0 { rejection.code == "22P02" } else { false }
        },
        Failure(testDescription: "a raised error", sql: "DO $$ BEGIN RAISE 'hunter2'; END $$") {
            if case .rejected(let rejection) = $0 { rejection.code == "P0001" } else { false }
        },
        Failure(testDescription: "a syntax error", sql: "SELEC 1") {
            if case .rejected(let rejection) = $0 {
                rejection.code == "42601" && rejection.message.contains("SELEC")
            } else {
                false
            }
        },
        Failure(testDescription: "text with a NUL", sql: "SELECT 1, \(secret + "\0")") {
            if case .invalidParameter(position: 1, _) = $0 { true } else { false }
        },
        Failure(testDescription: "an array with a NUL", sql: "SELECT \([secret, "\0"])") {
            if case .invalidParameter(position: 1, _) = $0 { true } else { false }
        },
        Failure(testDescription: "a time out of range", sql: "SELECT \(Timestamp(microsecondsSinceEpoch: .min))") {
            if case .invalidParameter(position: 1, _) = $0 { true } else { false }
        },
        Failure(testDescription: "a COPY", sql: "COPY (SELECT 1) TO STDOUT") {
            if case .rejected(let rejection) = $0 { rejection.code == "0A000" } else { false }
        },
    ]

    @Test("An error states its cause without the statement's values, and the pool stays usable", arguments: failures)
    func failure(row: Failure) async throws {
        try await withPool {
            $0.connections = 1
        } _: { pool in
            try await pool.execute(
                """
                CREATE TEMPORARY TABLE member (
                    name text UNIQUE, age int CONSTRAINT age_positive CHECK (age > 0))
                """)
            let error = await #expect(throws: PostgresError.self) { try await pool.query(row.sql) }
            guard let error else { return }
            #expect(row.isExpected(error), "\(error)")
            #expect(!"\(error) \(String(reflecting: error))".contains(Self.secret))
            #expect(
                try await pool.query("SELECT 1 AS one")[0].decode("one", as: Int.self) == 1, "the pool is usable")
        }
    }

    @Test("A column that is missing, null or of another type cannot be read")
    func decoding() async throws {
        try await withPool { pool in
            let cases: [(SQL, DecodingFault)] = [
                ("SELECT 1 AS other", .noSuchColumn), ("SELECT NULL::int8 AS value", .null),
                ("SELECT 'text'::text AS value", .wrongType(.text)), ("SELECT '1'::json AS value", .wrongType(.json)),
            ]
            for (sql, expected) in cases {
                let row = try await pool.query(sql)[0]
                let error = #expect(throws: PostgresError.self) { try row.decode("value", as: Int.self) }
                guard case .decoding("value", let fault) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(fault == expected, "\(sql)")
            }
        }
    }

    @Test(
        "A query succeeds after its table has changed, and after the server has deallocated the prepared statement",
        arguments: [StatementPreparation.own, .shared])
    func stalePlan(preparation: StatementPreparation) async throws {
        try await withPool {
            $0.connections = 1
            $0.preparation = preparation
        } _: { pool in
            let read: SQL = "SELECT * FROM shifting"
            try await pool.execute("CREATE TEMPORARY TABLE shifting AS SELECT 1::int8 AS value")
            #expect(try await pool.query(read)[0].decode("value", as: Int.self) == 1)
            try await pool.execute("ALTER TABLE shifting ALTER COLUMN value TYPE text USING 'now text'")
            #expect(try await pool.query(read)[0].decode("value", as: String.self) == "now text")
            try await pool.execute("DEALLOCATE ALL")
            #expect(try await pool.query(read)[0].decode("value", as: String.self) == "now text")
        }
    }

    @Test(
        "Statements of the same length and the same number of parameters are not mistaken for each other",
        arguments: [StatementPreparation.own, .shared, .none])
    func similarStatements(preparation: StatementPreparation) async throws {
        let statements: [(SQL, Int)] = [
            ("SELECT 1 + \(5)", 6), ("SELECT 2 + \(5)", 7), ("SELECT 2 * \(5)", 10), ("SELECT \(5) - 1", 4),
            ("SELECT \(5) - 2", 3), (("SELECT 3 + \(5)" as SQL).compacted, 8),
            (("SELECT 4 + \(5)" as SQL).compacted, 9), ("SELECT \("12")::bigint", 12), ("SELECT \(12)::bigint", 12),
        ]
        try await withPool {
            $0.connections = 1
            $0.preparation = preparation
        } _: { pool in
            for (sql, expected) in statements + statements {
                let named: SQL = "\(sql) AS value"
                let rows = try await pool.query(named) + pool.read(named)
                #expect(try rows.map { try $0.decode("value", as: Int.self) } == [expected, expected], "\(sql)")
            }
        }
    }

    @Test("A shared statement is prepared at its first execution, and each execution has its effect once")
    func sharedStatements() async throws {
        try await withPool {
            $0.connections = 1
            $0.preparation = .shared
        } _: { pool in
            try await pool.execute("CREATE TEMPORARY TABLE counted (n int8)")
            let names: SQL = "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO counted%'"
            for number in 0..<3 {
                if number == 2 { try await pool.execute("DEALLOCATE ALL") }
                try await pool.execute("INSERT INTO counted VALUES (\(number))")
                let found = try await pool.query(names).map { try $0.decode("name", as: String.self) }
                #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("sekisho_") && $0.count == 40 })
            }
            let rows = try await pool.query("SELECT n FROM counted ORDER BY n").map { try $0.decode("n", as: Int.self) }
            #expect(rows == [0, 1, 2])
        }
    }

    @Test("A transaction does not depend on shared statements, which any session may lack")
    func sharedStatementsInTransactions() async throws {
        try await withPool {
            $0.connections = 1
            $0.preparation = .shared
        } _: { pool in
            let read: SQL = "SELECT \(1) AS value"
            _ = try await pool.query(read)
            try await pool.execute("DEALLOCATE ALL")
            let value: Int = try await pool.transaction { try await $0.query(read)[0].decode("value") }
            #expect(value == 1)
        }
    }
}
