import Encoding
import Postgres
import Support
import Testing

@testable import Identity
@testable import Storage

/// A prepared statement keeps its plan, which is usually made while the tables are empty.
@Suite("Plans of the queries that deliver events")
struct EventQueryPlanTests {
    @Test("Events are numbered by their place in the outbox", arguments: [0, 20_000])
    func numbering(rows: Int) async throws {
        let database = try TestDatabase()
        _ = try await database.pool.execute("TRUNCATE outbox")
        _ = try await database.pool.execute(
            """
            INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
            SELECT gen_random_uuid(), 'demo', 'account.updated', 'user' || n, 'system', '{}', now()
            FROM generate_series(1, \(rows)) n
            """)
        let plan = try await database.plan(of: EventDispatchStore.numbering(of: ID("demo"), after: 0, limit: 1000))
        #expect(plan.contains("Tid Scan on outbox o"), "\(plan)")
        #expect(!plan.contains("Seq Scan on outbox"), "\(plan)")
    }

    @Test("Waiting deliveries are read in the order of an index, up to the limit", arguments: [0, 20_000])
    func waiting(rows: Int) async throws {
        let database = try TestDatabase()
        let pool = database.pool
        _ = try await pool.execute("TRUNCATE event_delivery, account_event, event_endpoint, event_stream")
        _ = try await pool.execute(
            """
            INSERT INTO realm (id, number, name, profile, created_at)
            VALUES ('demo', 1, 'Demo', 'firebase', now()) ON CONFLICT DO NOTHING
            """)
        _ = try await pool.execute("INSERT INTO event_stream (project_id) VALUES ('demo')")
        _ = try await pool.execute(
            """
            INSERT INTO event_endpoint (project_id, id, secret, last_sequence, created_at)
            VALUES ('demo', 'backend', '', 0, now())
            """)
        _ = try await pool.execute(
            """
            INSERT INTO event_delivery (project_id, endpoint_id, sequence, state, attempts, due_at)
            SELECT 'demo', 'backend', n, 'pending', 0, now() FROM generate_series(1, \(rows)) n
            """)
        let key = EventDispatchStore.Key(project: ID("demo"), endpoint: ID("backend"))
        let statement = EventDispatchStore.waitingDeliveries(to: key, dueAt: Instant(seconds: 1_900_000_000), limit: 8)
        let plan = try await database.plan(of: statement)
        let waiting = plan.components(after: "CTE waiting")
        #expect(waiting.contains("using event_delivery_due on event_delivery d"), "\(plan)")
        #expect(!waiting.contains("Sort"), "\(plan)")
    }
}

extension String {
    /// The lines of a plan from the one that contains `text` to the end of that part, which is indented.
    fileprivate func components(after text: String) -> String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.contains(text) }) else { return "" }
        let indent = lines[start].prefix { $0 == " " }.count
        return lines[(start + 1)...].prefix { $0.prefix { $0 == " " }.count > indent }.joined(separator: "\n")
    }
}
