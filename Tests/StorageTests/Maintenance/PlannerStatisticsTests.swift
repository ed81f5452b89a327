import Postgres
import Support
import Testing

@testable import Storage

@Suite("The planner's statistics of new tables")
struct PlannerStatisticsTests {
    @Test("A table is analysed when it has more than two pages, and again when it has doubled")
    func growth() async throws {
        let database = try TestDatabase()
        let statistics = PlannerStatistics(pool: database.pool)
        try await database.fill(accounts: 20)
        try await statistics.update()
        #expect(try await estimate(in: database) == -1)
        for accounts in [1000, 4000] {
            try await database.fill(accounts: accounts)
            try await statistics.update()
            #expect(try await estimate(in: database) == accounts)
        }
        try await database.pool.execute("DELETE FROM session WHERE account_id LIKE 'user1%'")
        try await statistics.update()
        #expect(try await estimate(in: database) == 4000, "without growth, nothing is analysed")
    }

    /// The number of sessions that the planner expects; -1 before the first `ANALYZE`.
    private func estimate(in database: TestDatabase) async throws -> Int {
        let rows = try await database.pool.query(
            "SELECT reltuples::bigint AS estimate FROM pg_class WHERE oid = 'session'::regclass")
        return try #require(try rows.first?.decode("estimate"))
    }
}
