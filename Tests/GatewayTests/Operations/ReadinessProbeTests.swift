import Postgres
import Support
import Testing

@testable import Gateway

@Suite("The readiness of all event loops")
struct ReadinessProbeTests {
    @Test("A gateway is ready only if every event loop reaches the database")
    func everyLoop() async throws {
        let database = try TestDatabase()
        let pool = database.pool
        let closed = Pool(loop: pool.loop, configuration: .init(url: "postgresql:///nobody?host=/nonexistent"))
        await closed.close()
        let ready = await ReadinessProbe([pool]).findings()
        #expect(ready.databaseIsReachable && ready.schemaIsCurrent)
        let lead = try #require(ready.clockLead)
        #expect(lead < .seconds(10) && lead > .seconds(-10), "both clocks are those of this machine")
        let unready = await ReadinessProbe([pool, closed]).findings()
        #expect(!unready.databaseIsReachable)
    }

    @Test("Fifty concurrent callers get the result of one check")
    func sharing() async throws {
        let database = try TestDatabase()
        let pool = database.pool
        let probe = ReadinessProbe([pool])
        try await pool.execute("CREATE SEQUENCE checks")
        try await pool.execute("ALTER TABLE schema_migration RENAME TO migrations")
        try await pool.execute(
            "CREATE VIEW schema_migration AS SELECT m.* FROM (SELECT nextval('checks')) n, migrations m")
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...50 {
                group.addTask {
                    let findings = await probe.findings()
                    #expect(findings.databaseIsReachable && findings.schemaIsCurrent)
                }
            }
        }
        let checks: Int = try await pool.query("SELECT last_value AS count FROM checks")[0].decode("count")
        #expect(checks == 1)
    }
}
