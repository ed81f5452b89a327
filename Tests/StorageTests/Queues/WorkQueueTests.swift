import Encoding
import FoundationEssentials
import Identity
import Postgres
import Support
import Testing

@testable import Storage

/// What an administrator sees of the queues of a project, and changes.
@Suite("Queues of a project")
struct WorkQueueTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let project = ID<Project>("demo")

    private let database: TestDatabase
    private let store: PostgresWorkQueueStore

    init() throws {
        database = try TestDatabase()
        store = PostgresWorkQueueStore(pool: database.pool)
    }

    /// Inserts one item into each queue. The statements have an ID where the queue has one.
    private func insert(
        in realm: String = "demo", expiring lifetime: Duration = .seconds(3600), isGivenUp: Bool = false
    ) async throws -> [WorkQueue: String] {
        let (id, time) = (UUID(), Timestamp(Self.now))
        let (expiry, failed) = (Timestamp(Self.now + lifetime), isGivenUp ? time : nil)
        try await database.pool.execute(
            """
            INSERT INTO outgoing_email (id, realm_id, kind, recipient, content, created_at, due_at, expires_at, failed_at,
                failure)
            VALUES (\(id), \(realm), 'PASSWORD_RESET', 'ada@example.org', '', \(time), \(expiry), \(expiry), \(failed),
                '451 later')
            """)
        try await database.pool.execute(
            """
            INSERT INTO outgoing_sms (realm_id, id, content, is_idempotent, created_at, due_at, expires_at, failed_at)
            VALUES (\(realm), \(id), CASE WHEN \(isGivenUp) THEN NULL ELSE ''::bytea END, true, \(time), \(expiry),
                \(expiry), \(failed))
            """)
        try await database.pool.execute(
            """
            INSERT INTO apple_grant (id, realm_id, client_id, state, token_type, token, created_at, due_at)
            VALUES (\(id), \(realm), 'com.example.app', 'REVOKING', 'REFRESH_TOKEN', '', \(time), \(expiry))
            """)
        let text = id.uuidString.lowercased()
        return [.emails: text, .textMessages: text, .appleRevocations: text]
    }

    private func apply(_ change: QueueItemChange, _ item: String, _ queue: WorkQueue) async throws -> Bool {
        try await store.apply(change, to: item, of: queue, by: .system, at: Self.now, in: Self.project)
    }

    @Test("A waiting item is listed, is due after a retry, and is gone after it was cancelled")
    func waiting() async throws {
        let items = try await insert()
        _ = try await insert(in: "other")
        for (queue, item) in items {
            let listed = try await store.items(of: queue, limit: 10, in: Self.project)
            #expect(listed.map(\.id) == [item])
            #expect(listed[0].dueAt == Self.now + .seconds(3600))
            #expect(try await apply(.retry, item, queue))
            #expect(try await store.items(of: queue, limit: 10, in: Self.project).map(\.dueAt) == [Self.now])
            #expect(try await apply(.cancel, item, queue))
            #expect(try await store.items(of: queue, limit: 10, in: Self.project).isEmpty)
            #expect(try await !apply(.cancel, item, queue))
            #expect(try await store.items(of: queue, limit: 10, in: ID("other")).count == 1)
        }
        let audited = try await database.pool.query("SELECT action FROM audit_event ORDER BY action")
            .map { try $0.decode("action", as: String.self) }
        #expect(
            audited == Array(repeating: "queueItem.cancelled", count: 3)
                + Array(repeating: "queueItem.retried", count: 3))
    }

    @Test("The items of a tenant belong to its project, and an item of another project is not changed")
    func realms() async throws {
        let ofTenant = try await insert(in: "demo/acme")
        let foreign = try await insert(in: "demo2")
        for (queue, item) in ofTenant {
            #expect(try await store.items(of: queue, limit: 10, in: Self.project).map(\.realm) == [ID("demo/acme")])
            #expect(try await apply(.retry, item, queue))
        }
        for (queue, item) in foreign {
            #expect(try await !apply(.retry, item, queue))
            #expect(try await !apply(.cancel, item, queue))
        }
    }

    @Test("An email that the gateway gave up is sent again, but neither an expired one nor a text message")
    func givenUp() async throws {
        let items = try await insert(isGivenUp: true)
        let expired = try await insert(expiring: .zero, isGivenUp: true)
        let email = try #require(items[.emails])
        #expect(try await store.items(of: .emails, limit: 10, in: Self.project).allSatisfy { $0.dueAt == nil })
        #expect(try await apply(.retry, email, .emails))
        #expect(try await !apply(.retry, try #require(expired[.emails]), .emails))
        #expect(try await !apply(.retry, try #require(items[.textMessages]), .textMessages))
        let claimed = try await PostgresEmailQueue(pool: database.pool).claim(
            limit: 10, lease: .seconds(60), at: Self.now)
        #expect(claimed.map(\.email.id.rawValue) == [email])
    }

    @Test("The health of a project counts what waits and what was given up")
    func health() async throws {
        _ = try await insert()
        _ = try await insert(in: "demo/acme", isGivenUp: true)
        _ = try await insert(in: "other")
        let facts = try await ProjectHealthQuery(pool: database.pool).facts(of: Self.project)
        #expect(facts.queues[.emails] == .init(waiting: 1, givenUp: 1, oldest: Self.now))
        #expect(facts.queues[.textMessages] == .init(waiting: 1, givenUp: 1, oldest: Self.now))
        #expect(facts.queues[.appleRevocations] == .init(waiting: 2, givenUp: 0, oldest: Self.now))
        #expect(facts.queues[.eventDeliveries] == .init(waiting: 0, givenUp: 0, oldest: nil))
        #expect((facts.disabledEndpoints, facts.failingEndpoints, facts.unknownAppleTokens) == (0, 0, 0))
    }
}
