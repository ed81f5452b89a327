import Encoding
import FoundationEssentials
import Identity
import Postgres
import Support
import Testing

@testable import Storage

/// Before the email worker sends the code of a password reset, it stores the code for the account that has the
/// recipient's address.
@Suite("Queued emails")
struct EmailQueueTests {
    struct Fixture: Sendable {
        let accounts: StoreFixture
        let queue: PostgresEmailQueue
        var now: Instant { accounts.start }

        init() async throws {
            accounts = try await StoreFixture(email: "ada@example.org")
            queue = PostgresEmailQueue(pool: accounts.database.pool)
        }

        @discardableResult
        func insert(
            _ kind: String = "PASSWORD_RESET", to recipient: String = "ada@example.org",
            lasting lifetime: Duration = .seconds(3600)
        ) async throws -> ID<OutgoingEmail> {
            let id = UUID()
            try await accounts.database.pool.execute(
                """
                INSERT INTO outgoing_email (id, realm_id, kind, recipient, content, created_at, due_at, expires_at)
                VALUES (\(id), 'demo', \(kind), \(recipient), \([UInt8](arrayLiteral: 1)), \(Timestamp(now)),
                    \(Timestamp(now)), \(Timestamp(now + lifetime)))
                """)
            return ID(id.uuidString.lowercased())
        }

        /// Claims emails that are due, as a worker does, with a lease of 60 seconds.
        func claim(_ limit: Int = 10, after delay: Duration = .zero) async throws -> [QueuedEmail] {
            try await queue.claim(limit: limit, lease: .seconds(60), at: now + delay)
        }

        func count() async throws -> Int {
            try await accounts.database.pool.query("SELECT count(*) AS n FROM outgoing_email").first?.decode("n") ?? 0
        }
    }

    @Test("A claimed email has the values that were inserted")
    func whole() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.insert()
        let claimed = try #require(try await fixture.claim().first)
        #expect(
            claimed
                == QueuedEmail(
                    email: OutgoingEmail(
                        id: id, kind: .resetPassword, account: nil,
                        recipient: try #require(EmailAddress("ada@example.org")), language: nil, content: [1],
                        createdAt: fixture.now, expiresAt: fixture.now + .seconds(3600)), realm: ID("demo"),
                    attempts: 1))
    }

    @Test("A claimed email states whether the forwarding of its relay address is off", arguments: [false, true, nil])
    func relay(forwards: Bool?) async throws {
        let fixture = try await Fixture()
        try await fixture.accounts.database.pool.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, email, relay_forwarding, created_at)
            VALUES ('demo', 'apple.com', 'ada', 'ada', 'relay@privaterelay.appleid.com', \(forwards), now())
            """)
        try await fixture.insert(to: "relay@privaterelay.appleid.com")
        #expect(try await fixture.claim().map(\.relayIsStopped) == [forwards == false])
        try await fixture.insert()
        #expect(try await fixture.claim().map(\.relayIsStopped) == [false])
    }

    @Test("A claimed email can be claimed again only after the lease has ended")
    func lease() async throws {
        let fixture = try await Fixture()
        try await fixture.insert()
        #expect(try await fixture.claim().map(\.attempts) == [1])
        #expect(try await fixture.claim(after: .seconds(59)).isEmpty)
        #expect(try await fixture.claim(after: .seconds(60)).map(\.attempts) == [2])
    }

    @Test("Twenty concurrent workers never claim the same email")
    func race() async throws {
        let fixture = try await Fixture()
        for _ in 0..<40 { try await fixture.insert() }
        let claimed = try await withThrowingTaskGroup(of: [QueuedEmail].self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.claim(4) } }
            return try await group.reduce(into: []) { $0 += $1.map(\.email.id) }
        }
        #expect(Set(claimed).count == claimed.count)
        let remaining = try await fixture.claim(100).map(\.email.id)
        #expect(Set(claimed + remaining).count == 40)
    }

    @Test("An expired email is deleted")
    func expiry() async throws {
        let fixture = try await Fixture()
        try await fixture.insert(lasting: .seconds(10))
        #expect(try await fixture.claim(after: .seconds(10)).isEmpty)
        #expect(try await fixture.count() == 0)
    }

    @Test("A postponed email is claimed again when its delay ends, and a given-up email is listed but not claimed")
    func postponed() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.insert()
        _ = try await fixture.claim()
        try await fixture.queue.postpone(id, until: fixture.now + .seconds(30), failure: "451 to RCPT")
        #expect(try await fixture.claim(after: .seconds(29)).isEmpty)
        #expect(try await fixture.claim(after: .seconds(30)).count == 1)
        try await fixture.queue.giveUp(id, failure: "550 to RCPT", at: fixture.now)
        #expect(try await fixture.claim(after: .seconds(7200)).isEmpty)
        #expect(try await fixture.queue.waitingCount() == 0)
        let listed = try #require(try await EmailListing(pool: fixture.accounts.database.pool).emails(limit: 10).first)
        #expect(listed.id == id)
        #expect(listed.failure == "550 to RCPT")
        #expect(listed.givenUpAt == fixture.now)
    }

    @Test("An email of an unknown kind is left for a newer release")
    func unknownKind() async throws {
        let fixture = try await Fixture()
        try await fixture.insert("notice.of-the-future")
        try await fixture.insert()
        #expect(try await fixture.claim().map(\.email.kind) == [.resetPassword])
        #expect(try await fixture.count() == 2)
    }

    @Test("Storing a reset code inserts the code, stores the account in the email's row, and can be repeated")
    func resetCode() async throws {
        let fixture = try await Fixture()
        try await fixture.insert()
        let code = [UInt8](repeating: 7, count: 32)
        let email = try #require(try await fixture.claim().first)
        #expect(try await !fixture.queue.isCodeStored(code))
        #expect(try await fixture.queue.storeResetCode(code, of: email))
        #expect(try await fixture.queue.storeResetCode(code, of: email))
        #expect(try await fixture.queue.isCodeStored(code))
        #expect(try await fixture.claim(after: .seconds(60)).first?.email.account == fixture.accounts.account.id)
        let row = try #require(
            try await fixture.accounts.database.pool.query(
                "SELECT purpose, account_id, generation, email, expires_at FROM oob_code"
            ).first)
        #expect(try row.decode("purpose") == "PASSWORD_RESET")
        #expect(try row.decode("account_id") == "ada")
        #expect(try row.decode("generation", as: Int64.self) == fixture.accounts.account.generation)
        #expect(Instant(try row.decode("expires_at")) == fixture.now + .seconds(3600))
    }

    @Test("Storing a reset code again does not restore a code that was used in the meantime")
    func usedMeanwhile() async throws {
        let fixture = try await Fixture()
        try await fixture.insert()
        let code = [UInt8](repeating: 7, count: 32)
        let email = try #require(try await fixture.claim().first)
        #expect(try await fixture.queue.storeResetCode(code, of: email))
        try await fixture.accounts.database.pool.execute("DELETE FROM oob_code")
        #expect(try await !fixture.queue.storeResetCode(code, of: email))
        #expect(try await !fixture.queue.isCodeStored(code))
    }

    @Test("No reset code is stored if no account has the recipient's address")
    func unknownAddress() async throws {
        let fixture = try await Fixture()
        try await fixture.insert(to: "eve@example.org")
        let email = try #require(try await fixture.claim().first)
        #expect(try await !fixture.queue.storeResetCode([UInt8](repeating: 7, count: 32), of: email))
        #expect(try await fixture.claim(after: .seconds(60)).first?.email.account == nil)
    }
}
