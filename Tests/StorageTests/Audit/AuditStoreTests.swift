import Identity
import Postgres
import Support
import Testing

@testable import Storage

@Suite("The stored audit trail")
struct AuditStoreTests {
    @Test("Audit events are kept for the retention period of their project, or forever")
    func retention() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject("brief")
        try await fixture.insertProject("for-ever")
        try await fixture.insertProject("unchanged")
        try await fixture.run("UPDATE realm SET policy = '{\"auditRetention\":\"60\"}' WHERE id = 'brief'")
        try await fixture.run("UPDATE realm SET policy = '{\"auditRetention\":\"0\"}' WHERE id = 'for-ever'")
        let trail = AuditStore(pool: try fixture.pool).trail
        let ages: [Duration] = [.zero, .seconds(60), .seconds(60) + .microseconds(1), .seconds(401 * 86_400)]
        for project in ["brief", "for-ever", "unchanged"] {
            for (index, age) in ages.enumerated() {
                try await trail.record(
                    AuditNote("act", "\(index)"), .system, ID(project), JanitorFixture.now - age)
            }
        }
        var limits = Janitor.PassLimits()
        limits.batchSize = 1
        // Two events of `brief`, and one of `unchanged`, whose retention period is 400 days.
        #expect(try await Janitor(pool: fixture.pool, limits: limits).remove(.auditEvent, at: JanitorFixture.now) == 3)
        #expect(
            try await fixture.names("SELECT realm_id || ' ' || subject AS name FROM audit_event") == [
                "brief 0", "brief 1", "for-ever 0", "for-ever 1", "for-ever 2", "for-ever 3", "unchanged 0",
                "unchanged 1", "unchanged 2",
            ])
    }

    @Test("The deletion of an unused anonymous account is audited")
    func janitor() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject("brief", anonymousLifetime: 60)
        try await fixture.insertAccount("guest", in: "brief", age: .seconds(61))
        try await fixture.insertSession(of: "guest", in: "brief", age: .seconds(61))
        #expect(try await Janitor(pool: fixture.pool).remove(.account, at: JanitorFixture.now) == 1)
        #expect(
            try await fixture.names(
                "SELECT actor || ' ' || action || ' ' || subject AS name FROM audit_event")
                == ["system account.deleted guest"])
    }

    struct QueryRow: CustomTestStringConvertible {
        let testDescription: String
        let index: String
        let change: @Sendable (inout AuditQuery) -> Void
    }

    @Test(
        "Queries of the audit trail are sorted by an index",
        arguments: [
            QueryRow(testDescription: "all", index: "audit_event_time") { _ in },
            QueryRow(testDescription: "subject", index: "audit_event_subject") { $0.subject = "ada" },
            QueryRow(testDescription: "actor", index: "audit_event_actor") { $0.actor = "user" },
            QueryRow(testDescription: "action", index: "audit_event_action") { $0.action = "account.deleted" },
            QueryRow(testDescription: "subject, page by page, within a time", index: "audit_event_subject") {
                $0.subject = "ada"
                $0.since = Instant(seconds: 1)
                $0.cursor = TimePosition(parsing: "5_00000000-0000-0000-0000-000000000000")
            },
            QueryRow(testDescription: "oldest first", index: "audit_event_time") { $0.isOldestFirst = true },
        ])
    func plans(row: QueryRow) async throws {
        let fixture = JanitorFixture()
        try await fixture.run(
            """
            INSERT INTO audit_event (id, realm_id, actor, action, subject, occurred_at)
            SELECT gen_random_uuid(), 'demo', 'actor' || i % 500, 'action' || i % 500, 'subject' || i % 500,
                to_timestamp(i) FROM generate_series(1, 5000) i
            """)
        try await fixture.run("ANALYZE audit_event")
        var query = AuditQuery(limit: 50)
        row.change(&query)
        let statement = try SQL.auditEvents(query, in: ID("demo"))
        let plan = try await fixture.database.get().plan(of: statement)
        #expect(plan.contains(row.index), "\(plan)")
        #expect(!plan.contains("Sort"), "\(plan)")
    }
}
