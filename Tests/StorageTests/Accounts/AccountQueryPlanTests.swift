import Encoding
import Identity
import Postgres
import Providers
import Support
import Testing

@testable import Storage

@Suite("Queries of a hundred thousand accounts", .serialized)
struct AccountQueryPlanTests {
    /// Created once, because its creation is slow.
    private static let shared = SharedDatabase()

    private actor SharedDatabase {
        private var creation: Task<TestDatabase, any Error>?

        var database: TestDatabase {
            get async throws {
                if let creation { return try await creation.value }
                let database = try TestDatabase()
                let task = Task(executorPreference: database.loop) {
                    for statement: SQL in [
                        """
                        INSERT INTO account (realm_id, id, email, display_name, phone_number, created_at,
                            last_sign_in_at, valid_since)
                        SELECT 'demo', md5(n::text), CASE WHEN n % 3 > 0 THEN 'user' || n || '@example.com' END,
                            CASE WHEN n % 4 > 0 THEN 'Name ' || (n * 7919) % 100000 END, CASE WHEN n % 5 = 0 THEN '+1555' || n END,
                            timestamptz 'epoch' + n * interval '1 minute', timestamptz 'epoch' + n * interval '1 hour',
                            timestamptz 'epoch'
                        FROM generate_series(1, 100000) n
                        """,
                        // Without statistics, the check of each foreign key would read all accounts.
                        "ANALYZE account",
                        """
                        INSERT INTO linked_identity (realm_id, provider, subject, account_id, real_user_status,
                            created_at)
                        SELECT 'demo', 'google.com', n::text, md5(n::text), n % 3, timestamptz 'epoch'
                        FROM generate_series(1, 50000) n
                        """,
                        "ANALYZE linked_identity",
                        """
                        INSERT INTO account (realm_id, id, email, phone_number, created_at, valid_since)
                        SELECT 'new', 'new' || n, 'new' || n || '@example.com', '+1555' || n, timestamptz 'epoch',
                            timestamptz 'epoch'
                        FROM generate_series(1, 5000) n
                        """,
                        """
                        INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
                        SELECT 'new', 'google.com', n::text, 'new' || n, timestamptz 'epoch'
                        FROM generate_series(1, 5000) n
                        """,
                    ] { _ = try await database.pool.execute(statement) }
                    return database
                }
                creation = task
                return try await task.value
            }
        }
    }

    private static let realm = ID<Realm>("demo")
    private static let newcomer = Account(
        id: ID("new7"), email: EmailAddress("new7@example.com"), phoneNumber: PhoneNumber("+15557"),
        identities: [LinkedIdentity(provider: .google, subject: "7")], createdAt: Instant(seconds: 0),
        validSince: Instant(seconds: 0))

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let statement: SQL

        init(_ testDescription: String, _ statement: SQL) {
            self.testDescription = testDescription
            self.statement = statement
        }

        static func page(_ order: AccountOrder, skipping count: Int) -> SQL {
            .page(by: order, skipping: count, limit: 500, in: realm)
        }
    }

    @Test(
        "Lists and searches need neither a sequential scan nor a sort of more than a page",
        arguments: [
            Row("by ID", Row.page(AccountOrder(.id), skipping: 0)),
            Row("by ID, descending, a later page", Row.page(AccountOrder(.id, isDescending: true), skipping: 1000)),
            Row("by creation", Row.page(AccountOrder(.createdAt), skipping: 0)),
            Row("newest first, a later page", Row.page(AccountOrder(.createdAt, isDescending: true), skipping: 1000)),
            Row("by address", Row.page(AccountOrder(.email), skipping: 0)),
            Row(
                "by address, descending, a later page",
                Row.page(AccountOrder(.email, isDescending: true), skipping: 1000)),
            Row("without address", .pageWithoutSortKey(AccountOrder(.email), skipping: 100, limit: 500, in: realm)),
            Row(
                "without address, descending",
                .pageWithoutSortKey(AccountOrder(.email, isDescending: true), skipping: 0, limit: 500, in: realm)),
            Row("the number of accounts with an address", .count(AccountOrder(.email), upTo: 1000, in: realm)),
            Row("by name", Row.page(AccountOrder(.displayName), skipping: 0)),
            Row(
                "by name, descending, a later page",
                Row.page(AccountOrder(.displayName, isDescending: true), skipping: 1000)),
            Row("without name", .pageWithoutSortKey(AccountOrder(.displayName), skipping: 100, limit: 500, in: realm)),
            Row("the number of accounts with a name", .count(AccountOrder(.displayName), upTo: 1000, in: realm)),
            Row(
                "by each kind of reference",
                .find(
                    [
                        .id(ID("a")), .email(EmailAddress("user1@example.com")!), .phoneNumber(PhoneNumber("+15555")!),
                        .identity(provider: .google, subject: "1"),
                    ], in: realm)),
        ])
    func plan(row: Row) async throws {
        let pool = try await Self.shared.database.pool
        let plan = try await pool.query("EXPLAIN \(row.statement)").map { try $0.decode("QUERY PLAN", as: String.self) }
        let text = plan.joined(separator: "\n")
        #expect(!text.contains("Seq Scan on account"), "\(text)")
        #expect(!text.contains("Seq Scan on linked_identity"), "\(text)")
        // Sorting the rows of a page, or the identities of one account, is fast.
        let sorts = plan.filter { $0.contains("Sort  ") && !$0.contains("rows=1 ") }
        let largeSorts = sorts.filter { !["rows=500 ", "rows=100 "].contains(where: $0.contains) }
        #expect(largeSorts.isEmpty, "\(text)")
    }

    /// Until the next ANALYZE, the planner expects the project to be empty.
    @Test(
        "Searches read only a few rows, even if the project has grown since the last ANALYZE",
        arguments: [
            Row("by ID", .find([.id(ID("new7"))], in: ID("new"))),
            Row("by address", .find([.email(EmailAddress("new7@example.com")!)], in: ID("new"))),
            Row("by phone number", .find([.phoneNumber(PhoneNumber("+15557")!)], in: ID("new"))),
            Row("by identity", .find([.identity(provider: .google, subject: "7")], in: ID("new"))),
            Row("by an imported identity", .owners(of: newcomer.identities, in: ID("new"))),
            Row(
                "by the ID, address and phone number of an imported account",
                .takenMembers(of: [newcomer], in: ID("new"))),
        ])
    func stale(row: Row) async throws {
        let pool = try await Self.shared.database.pool
        let plan = try await pool.query("EXPLAIN (ANALYZE, TIMING OFF) \(row.statement)")
            .map { try $0.decode("QUERY PLAN", as: String.self) }.joined(separator: "\n")
        for count in plan.matches(of: /(?:actual rows=|Removed by (?:Join )?Filter: )([0-9]+)/) {
            #expect(try #require(Int(count.1)) < 10, "\(plan)")
        }
    }

    @Test("A list without an index is aborted after the timeout")
    func timeout() async throws {
        let pool = try await Self.shared.database.pool
        let storeWithLongTimeout = PostgresAccountStore(pool: pool, sortTimeout: .seconds(60))
        let storeWithShortTimeout = PostgresAccountStore(pool: pool, sortTimeout: .milliseconds(1))
        let order = AccountOrder(.lastSignInAt, isDescending: true)
        let page = try await storeWithLongTimeout.page(by: order, skipping: 0, limit: 10, in: Self.realm)
        #expect(page.count == 10)
        await #expect(throws: QueryRefusal.deadlineExceeded) {
            try await storeWithShortTimeout.page(by: order, skipping: 0, limit: 10, in: Self.realm)
        }
        let indexed = try await storeWithShortTimeout.page(
            by: AccountOrder(.createdAt), skipping: 0, limit: 10, in: Self.realm)
        #expect(indexed.count == 10)
    }

    @Test("No index of accounts contains a column that every sign-in changes")
    func indexedColumns() async throws {
        let indexed = try await Self.shared.database.pool.query(
            """
            SELECT c.attname::text AS name FROM pg_index i JOIN pg_attribute c ON c.attrelid = i.indrelid
            WHERE i.indrelid = 'account'::regclass AND (c.attnum = ANY (i.indkey) OR EXISTS (
                -- A column in an expression or in a condition.
                SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                    AND d.refobjid = i.indrelid AND d.refobjsubid = c.attnum))
            GROUP BY c.attname ORDER BY c.attname
            """)
        let names = try indexed.map { try $0.decode("name", as: String.self) }
        #expect(
            names == [
                "created_at", "custom_auth", "disabled_at", "display_name", "email", "id", "passkey_count",
                "phone_number", "realm_id",
            ])
    }
}
