import Encoding
import Identity
import Postgres
import Support
import Testing

@testable import Storage

/// The short form of `Deploy/bench lists`.
@Suite("Pages of lists of accounts", .serialized)
struct AccountListingPlanTests {
    private static let realm = ID<Realm>("demo")
    private static let pageSize = 50
    private static let shared = SharedDatabase()

    /// Created once, because its creation is slow.
    private actor SharedDatabase {
        private var creation: Task<TestDatabase, any Error>?

        var database: TestDatabase {
            get async throws {
                if let creation { return try await creation.value }
                let database = try TestDatabase()
                let task = Task(executorPreference: database.loop) {
                    for statement in AccountListingPlanTests.rows { _ = try await database.pool.execute(statement) }
                    return database
                }
                creation = task
                return try await task.value
            }
        }
    }

    /// Ten thousand accounts. One in a hundred is disabled, one in fifteen may be a guest, and the relay of a hundred
    /// has stopped.
    private static let rows: [SQL] = [
        """
        INSERT INTO account (realm_id, id, email, display_name, custom_auth, disabled_at, created_at, valid_since)
        SELECT 'demo', md5(n::text), CASE WHEN n % 3 > 0 THEN 'user' || n || '@example.com' END,
            CASE WHEN n % 4 > 0 THEN 'Name ' || (n * 7919) % 10000 END, n % 3 = 0 AND n % 15 > 0,
            CASE WHEN n % 100 = 50 THEN timestamptz 'epoch' END, timestamptz 'epoch' + n * interval '1 minute',
            timestamptz 'epoch'
        FROM generate_series(1, 10000) n
        """,
        "ANALYZE account",
        """
        INSERT INTO linked_identity (realm_id, provider, subject, account_id, email, real_user_status,
            relay_forwarding, created_at)
        SELECT 'demo', 'apple.com', n::text, md5(n::text), 'shared' || n % 50 || '@example.com', n % 3, n % 50 > 0,
            timestamptz 'epoch'
        FROM generate_series(1, 10000) n WHERE n % 100 > 0
        """,
        "ANALYZE linked_identity",
    ]

    static let listings: [AccountListing] =
        [false, true].flatMap { isDescending in
            [AccountListing.SortKey.id, .createdAt, .email, .displayName].map {
                .all(by: $0, isDescending: isDescending)
            } + [.disabled(isDescending: isDescending), .guestCandidates(isDescending: isDescending)]
        } + [
            .relayStopped, .realUserStatus(2), .identityEmail(EmailAddress("shared7@example.com")!),
            .idPrefix(IDPrefix("c")!), .namePrefix("NAME 7"),
        ]

    @Test("A page reads its accounts by an index, and at most one row more", arguments: listings)
    func plan(of listing: AccountListing) async throws {
        let database = try await Self.shared.database
        let store = PostgresAccountStore(pool: database.pool)
        let first = try await store.page(of: listing, after: nil, limit: Self.pageSize, in: Self.realm)
        #expect(first.count == Self.pageSize)
        let cursor = listing.cursor(after: try #require(first.last))
        let withoutKey = AccountCursor(value: nil, id: cursor.id)
        for position in [nil, cursor] + (listing.accepts(withoutKey) ? [withoutKey] : []) {
            for statement in SQL.pages(of: listing, after: position, in: Self.realm) {
                try await expectIndexedPage(statement(Self.pageSize), database)
            }
        }
    }

    private func expectIndexedPage(_ statement: SQL, _ database: TestDatabase) async throws {
        let plan = try await database.pool.query("EXPLAIN (ANALYZE, TIMING OFF) \(statement)")
            .map { try $0.decode("QUERY PLAN", as: String.self) }
        let text = plan.joined(separator: "\n")
        #expect(!text.contains("Seq Scan on account") && !text.contains("Seq Scan on linked_identity"), "\(text)")
        #expect(!text.contains("Rows Removed by Filter"), "\(text)")
        #expect(!text.contains("Bitmap"), "\(text)")
        for match in text.matches(of: /(?:account|linked_identity)(?: [al])? .*actual rows=([0-9]+) loops=([0-9]+)/) {
            let (rows, loops) = (try #require(Int(match.1)), try #require(Int(match.2)))
            #expect(rows * loops <= Self.pageSize + 1, "\(text)")
        }
    }

    @Test("The pages of a list contain each account once, in one order", arguments: listings)
    func pages(of listing: AccountListing) async throws {
        let store = PostgresAccountStore(pool: try await Self.shared.database.pool)
        let all = try await store.page(of: listing, after: nil, limit: 20_000, in: Self.realm).map(\.id)
        var listed: [ID<Account>] = []
        var cursor: AccountCursor?
        repeat {
            let page = try await store.page(of: listing, after: cursor, limit: 700, in: Self.realm)
            listed += page.map(\.id)
            cursor = page.count == 700 ? page.last.map { listing.cursor(after: $0) } : nil
        } while cursor != nil
        #expect(listed == all)
        #expect(Set(listed).count == listed.count)
    }
}
