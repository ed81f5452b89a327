import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("The janitor, of anonymous accounts")
struct JanitorAnonymousAccountTests {
    static let day: Duration = .seconds(86_400)

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var project = "brief"
        var age = day * 31
        var used = day * 31
        var method = "anonymous"
        var change: SQL?
        let goes: Bool
    }

    @Test(
        "removes anonymous accounts that nobody has used for as long as the project says, and no other account",
        arguments: [
            Row(testDescription: "unused", goes: true),
            Row(testDescription: "unused, in a project that keeps them for ever", project: "for-ever", goes: false),
            Row(testDescription: "unused for less than that", age: day * 30, used: day * 30, goes: false),
            Row(testDescription: "made long ago, used lately", used: day, goes: false),
            Row(
                testDescription: "with an address and a password",
                change:
                    "UPDATE account SET email = 'ada@example.com', password_hash = 'x', password_updated_at = now()",
                goes: false),
            Row(
                testDescription: "with an address alone", change: "UPDATE account SET email = 'ada@example.com'",
                goes: false),
            Row(
                testDescription: "with a phone number", change: "UPDATE account SET phone_number = '+15550100'",
                goes: false),
            Row(
                testDescription: "that a backend has signed in to", change: "UPDATE account SET custom_auth = true",
                goes: false),
            Row(
                testDescription: "with an identity",
                change:
                    """
                    INSERT INTO linked_identity (project_id, provider, subject, account_id, created_at)
                    SELECT project_id, 'apple.com', 'x', id, now() FROM account
                    """,
                goes: false),
            Row(
                testDescription: "that an administrator made and nobody has entered",
                change: "UPDATE account SET last_sign_in_at = NULL", goes: false),
            Row(testDescription: "imported, with no session of ours", change: "DELETE FROM session", goes: false),
            Row(testDescription: "that was something else once", method: "apple.com", goes: false),
            Row(
                testDescription: "whose session was ended", change: "UPDATE session SET ended_at = 'epoch'", goes: true),
        ])
    func anonymousAccounts(row: Row) async throws {
        let fixture = JanitorFixture()
        try await fixture.project("brief", anonymousLifetime: 30 * 86_400)
        try await fixture.project("for-ever")
        try await fixture.account("guest", in: row.project, age: row.age)
        try await fixture.session(of: "guest", in: row.project, method: row.method, age: row.used)
        if let change = row.change { try await fixture.run(change) }
        let janitor = Janitor(pool: try fixture.pool)
        let removed = try await janitor.remove(.session, at: JanitorFixture.now)
        #expect(removed == 0)
        #expect(try await janitor.remove(.account, at: JanitorFixture.now) == (row.goes ? 1 : 0))
        #expect(try await fixture.names("SELECT id AS name FROM account") == (row.goes ? [] : ["guest"]))
        let tombs = try await fixture.names("SELECT id || ' ' || project_id AS name FROM deleted_account")
        #expect(tombs == (row.goes ? ["guest brief"] : []))
        let told = try await fixture.names("SELECT kind || ' ' || account_id AS name FROM outbox")
        #expect(told == (row.goes ? ["account.deleted guest"] : []))
        if row.goes { #expect(try await fixture.names("SELECT method AS name FROM session") == []) }
    }
}
