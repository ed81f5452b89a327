import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("Deletion of anonymous accounts by the janitor")
struct JanitorAnonymousAccountTests {
    static let day: Duration = .seconds(86_400)

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var project = "brief"
        /// The time since the creation of the account and the last sign-in.
        var age = day * 31
        /// The time since the last refresh.
        var unused = day * 31
        var method = "anonymous"
        /// Runs before the janitor.
        var change: SQL?
        let isDeleted: Bool
    }

    @Test(
        "Anonymous accounts that were unused for longer than `anonymousLifetime` are deleted, and no others",
        arguments: [
            Row(testDescription: "unused", isDeleted: true),
            Row(testDescription: "unused, in a project without a limit", project: "for-ever", isDeleted: false),
            Row(testDescription: "unused for the limit exactly", age: day * 30, unused: day * 30, isDeleted: false),
            Row(testDescription: "created long ago, used recently", unused: day, isDeleted: false),
            Row(
                testDescription: "with an address and a password",
                change:
                    "UPDATE account SET email = 'ada@example.com', password_hash = 'x', password_updated_at = now()",
                isDeleted: false),
            Row(
                testDescription: "with only an address", change: "UPDATE account SET email = 'ada@example.com'",
                isDeleted: false),
            Row(
                testDescription: "with a phone number", change: "UPDATE account SET phone_number = '+15550100'",
                isDeleted: false),
            Row(
                testDescription: "signed in to with a custom token", change: "UPDATE account SET custom_auth = true",
                isDeleted: false),
            Row(
                testDescription: "with an identity",
                change:
                    """
                    INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
                    SELECT realm_id, 'apple.com', 'x', id, now() FROM account
                    """,
                isDeleted: false),
            Row(
                testDescription: "created by an administrator and never signed in to",
                change: "UPDATE account SET last_sign_in_at = NULL", isDeleted: false),
            Row(testDescription: "imported, without a session", change: "DELETE FROM session", isDeleted: false),
            Row(testDescription: "signed in to only with Apple", method: "apple.com", isDeleted: false),
            Row(
                testDescription: "with an ended session", change: "UPDATE session SET ended_at = 'epoch'",
                isDeleted: true),
        ])
    func anonymousAccounts(row: Row) async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject("brief", anonymousLifetime: 30 * 86_400)
        try await fixture.insertProject("for-ever")
        try await fixture.insertAccount("guest", in: row.project, age: row.age)
        try await fixture.insertSession(of: "guest", in: row.project, method: row.method, age: row.unused)
        if let change = row.change { try await fixture.run(change) }
        let janitor = Janitor(pool: try fixture.pool)
        let removed = try await janitor.remove(.session, at: JanitorFixture.now)
        #expect(removed == 0)
        #expect(try await janitor.remove(.account, at: JanitorFixture.now) == (row.isDeleted ? 1 : 0))
        #expect(try await fixture.names("SELECT id AS name FROM account") == (row.isDeleted ? [] : ["guest"]))
        let tombstones = try await fixture.names("SELECT id || ' ' || realm_id AS name FROM deleted_account")
        #expect(tombstones == (row.isDeleted ? ["guest brief"] : []))
        let events = try await fixture.names("SELECT kind || ' ' || account_id AS name FROM outbox")
        #expect(events == (row.isDeleted ? ["account.deleted guest"] : []))
        if row.isDeleted { #expect(try await fixture.names("SELECT method AS name FROM session") == []) }
    }
}
