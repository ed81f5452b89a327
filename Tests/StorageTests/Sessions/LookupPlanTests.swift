import FoundationEssentials
import Identity
import Postgres
import Support
import Testing

@testable import Storage

@Suite("The plan of session look-ups that share a statement")
struct LookupPlanTests {
    @Test(
        "Look-ups find accounts and sessions by their primary keys, whatever the statistics",
        arguments: [(0, false), (10, false), (5000, false), (5000, true)])
    func lookups(sessions: Int, isAnalysed: Bool) async throws {
        let database = try TestDatabase()
        try await database.fill(accounts: sessions)
        if isAnalysed { try await database.pool.execute("ANALYZE account, session, linked_identity") }
        // A batch has at most 64 look-ups.
        let lookups = (1...64).map { SessionLookup(session: UUID(), account: "user\($0)") }
        let plan = try await database.plan(of: .find(lookups, in: ID("demo")))
        #expect(!plan.contains("Seq Scan"), "\(plan)")
        #expect(plan.searches(byPrimaryKeyOf: "session") == 1, "\(plan)")
        #expect(plan.searches(byPrimaryKeyOf: "account") == 1, "\(plan)")
    }
}
