import Identity
import Postgres
import Support
import Testing

@testable import Storage

/// An export gets the `transfer_sub` of an identity from the old team. An import exchanges the `transfer_sub` for the
/// subject in the new team.
@Suite("Ten thousand identities that move to another Apple developer team")
struct AppleTransferStoreTests {
    private static let count = 10_000
    private static let team = "NEWTEAM123"

    /// Of every ten identities, one waits for its export, one has moved, and the others wait for their import.
    private func fixture() async throws -> AppleGrantFixture {
        let fixture = try await AppleGrantFixture()
        let now = Timestamp(fixture.now)
        try await fixture.pool.execute("DELETE FROM linked_identity")
        try await fixture.pool.execute(
            """
            INSERT INTO account (realm_id, id, created_at, valid_since)
            SELECT 'demo', 'p' || n, \(now), \(now) FROM generate_series(1, \(Self.count)) n
            """)
        try await fixture.pool.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at, transfer_sub,
                transfer_team, transferred_at)
            SELECT 'demo', 'apple.com', id, id, \(now), CASE WHEN n % 10 > 0 THEN 't' || n END,
                CASE WHEN n % 10 > 0 THEN \(Self.team) END, CASE WHEN n % 10 = 1 THEN \(now) END
            FROM generate_series(1, \(Self.count)) n, LATERAL (SELECT 'p' || n AS id) i
            """)
        try await fixture.pool.execute("ANALYZE linked_identity")
        return fixture
    }

    @Test("Waiting identities are counted, and are read page by page, each once")
    func pages() async throws {
        let fixture = try await fixture()
        let store = AppleTransferStore(pool: fixture.pool)
        let counts = try await store.counts(to: Self.team, in: fixture.realm)
        #expect([counts.all, counts.exported, counts.imported] == [10_000, 9000, 1000])
        #expect(try await store.countsOfWaitingImports(in: fixture.realm) == [Self.team: 8000])
        var exports: [String] = []
        var last: String? = ""
        while let start = last {
            let page = try await store.waitingForExport(to: Self.team, after: start, limit: 3000, in: fixture.realm)
            exports += page.waiting.map(\.subject)
            last = page.end
        }
        #expect(exports.count == 1000 && Set(exports).count == 1000)
        var imports: [String] = []
        last = ""
        while let start = last {
            let page = try await store.waitingForImport(to: Self.team, after: start, limit: 3000, in: fixture.realm)
            imports += page.waiting.compactMap(\.transferSubject)
            last = page.end
        }
        #expect(imports.count == 8000 && Set(imports).count == 8000)
        let other = try await store.waitingForImport(to: "OTHERTEAM1", after: "", limit: 3000, in: fixture.realm)
        #expect(other.waiting.isEmpty && other.end != nil, "the identities are read, but they move to another team")
    }

    @Test("Identities that wait for their import become TRANSFERRED when the new team is configured")
    func marked() async throws {
        let fixture = try await fixture()
        let transferred: SQL = "SELECT FROM linked_identity WHERE credential_state = 'TRANSFERRED'"
        try await fixture.store.markGrantsOfFormerTeamOrKey()
        #expect(try await fixture.pool.query(transferred).isEmpty, "the old team is still configured")
        try await fixture.configure(AppleKeyName(teamID: Self.team, keyID: AppleGrantFixture.key.keyID))
        try await fixture.store.markGrantsOfFormerTeamOrKey()
        #expect(try await fixture.pool.query(transferred).count == 8000)
        #expect(try await fixture.pool.query(.transfersToConfiguredTeam).isEmpty)
    }

    @Test("No statement for a transfer reads the whole table of identities")
    func plans() async throws {
        let fixture = try await fixture()
        let realm = fixture.realm
        // Each statement with a text that its plan must contain: an index, or the limit of a search by primary key.
        let statements: [(statement: SQL, planText: String)] = [
            (.transferCounts(to: Self.team, after: "", limit: 100, in: realm), "Limit"),
            (.waitingForExport(to: Self.team, after: "", limit: 100, in: realm), "Limit"),
            (
                .waitingForImport(to: Self.team, retryingRejected: false, after: "", limit: 100, in: realm),
                "linked_identity_transfer_sub"
            ),
            (.rejectedImports(to: Self.team, after: "", limit: 100, in: realm), "linked_identity_transfer_sub"),
            (.storeTransferErrors(["t1": "invalid_request"], to: Self.team, in: realm), "linked_identity_transfer_sub"),
            (.waitingByTeam(after: "", limit: 100, in: realm), "linked_identity_transfer_sub"),
            (.transfersToConfiguredTeam, "linked_identity_unmarked_transfer"),
            (
                .markTransferred(of: realm.rawValue, to: Self.team, after: "", limit: 100),
                "linked_identity_unmarked_transfer"
            ),
        ]
        for (statement, planText) in statements {
            let plan = try await fixture.accounts.database.plan(of: statement)
            #expect(plan.contains(planText), "\(plan)")
            #expect(!plan.contains("Seq Scan on linked_identity"), "\(plan)")
        }
    }
}
