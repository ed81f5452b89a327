import FoundationEssentials
import Identity
import Postgres
import Support
import Testing

@testable import Storage

/// A prepared statement keeps its plan until the table is analysed, so the plan for an empty table matters too.
@Suite("The plan of a refresh")
struct RotationPlanTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sessions: Int
        var isAnalysed = false
        /// The number of tokens in one statement. A batch has at most 64.
        var tokens = 1
    }

    @Test(
        "A refresh finds sessions and accounts by their primary keys",
        arguments: [
            Row(testDescription: "in a new database", sessions: 0),
            Row(testDescription: "of 64 tokens, in a new database", sessions: 0, tokens: 64),
            Row(testDescription: "among ten sessions", sessions: 10),
            Row(testDescription: "of 64 tokens, among ten sessions", sessions: 10, tokens: 64),
            Row(testDescription: "among five thousand sessions", sessions: 5000),
            Row(testDescription: "of 64 tokens, among five thousand sessions", sessions: 5000, tokens: 64),
            Row(testDescription: "with statistics", sessions: 5000, isAnalysed: true),
            Row(testDescription: "of 64 tokens, with statistics", sessions: 5000, isAnalysed: true, tokens: 64),
        ])
    func rotation(row: Row) async throws {
        let database = try TestDatabase()
        try await database.fill(accounts: row.sessions)
        if row.isAnalysed { try await database.pool.execute("ANALYZE account, session") }
        let tokens = Self.tokens(row.tokens)
        let statement: SQL =
            tokens.count == 1 ? .rotate(tokens[0], in: ID("demo")) : .rotate(tokens, in: ID("demo"))
        let plan = try await database.plan(of: statement)
        #expect(!plan.contains("Seq Scan"), "\(plan)")
        // One search for the sessions, one for their accounts, and one more to change the sessions of several tokens.
        #expect(plan.searches(byPrimaryKeyOf: "account") == 1, "\(plan)")
        #expect(plan.searches(byPrimaryKeyOf: "session") == (tokens.count == 1 ? 1 : 2), "\(plan)")
    }

    @Test("The check of a foreign key finds the account by its primary key in a new database")
    func foreignKey() async throws {
        let database = try TestDatabase()
        try await database.fill(accounts: 0)
        let plan = try await database.plan(
            of: "SELECT 1 FROM ONLY account x WHERE realm_id = 'demo' AND id = 'ada' FOR KEY SHARE OF x")
        #expect(plan.contains("account_pkey"), "\(plan)")
    }

    private static func tokens(_ count: Int) -> [PresentedRefreshToken] {
        (0..<count).map { _ in
            PresentedRefreshToken(
                session: UUID(), counter: 0, rotates: true, gracePeriod: .seconds(30), clockOffset: .zero)
        }
    }
}
