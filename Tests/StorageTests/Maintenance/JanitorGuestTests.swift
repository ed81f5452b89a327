import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("The janitor, of anonymous accounts")
struct JanitorGuestTests {
    static let day: Duration = .seconds(86_400)

    struct Guest: CustomTestStringConvertible {
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
            Guest(testDescription: "unused", goes: true),
            Guest(testDescription: "unused, in a project that keeps them for ever", project: "for-ever", goes: false),
            Guest(testDescription: "unused for less than that", age: day * 30, used: day * 30, goes: false),
            Guest(testDescription: "made long ago, used lately", used: day, goes: false),
            Guest(
                testDescription: "with an address and a password",
                change:
                    "UPDATE account SET email = 'ada@example.com', password_hash = 'x', password_updated_at = now()",
                goes: false),
            Guest(
                testDescription: "with an address alone", change: "UPDATE account SET email = 'ada@example.com'",
                goes: false),
            Guest(
                testDescription: "with a phone number", change: "UPDATE account SET phone_number = '+15550100'",
                goes: false),
            Guest(
                testDescription: "that a backend has signed in to", change: "UPDATE account SET custom_auth = true",
                goes: false),
            Guest(
                testDescription: "with an identity",
                change:
                    """
                    INSERT INTO linked_identity (project_id, provider, subject, account_id, created_at)
                    SELECT project_id, 'apple.com', 'x', id, now() FROM account
                    """,
                goes: false),
            Guest(
                testDescription: "that an administrator made and nobody has entered",
                change: "UPDATE account SET last_sign_in_at = NULL", goes: false),
            Guest(testDescription: "imported, with no session of ours", change: "DELETE FROM session", goes: false),
            Guest(testDescription: "that was something else once", method: "apple.com", goes: false),
            Guest(
                testDescription: "whose session was ended", change: "UPDATE session SET ended_at = 'epoch'", goes: true),
        ])
    func guests(row: Guest) async throws {
        let house = House()
        try await house.project("brief", anonymousLifetime: 30 * 86_400)
        try await house.project("for-ever")
        try await house.account("guest", in: row.project, age: row.age)
        try await house.session(of: "guest", in: row.project, method: row.method, age: row.used)
        if let change = row.change { try await house.run(change) }
        let janitor = Janitor(pool: try house.pool)
        let removed = try await janitor.remove(.session, at: House.now)
        #expect(removed == 0)
        #expect(try await janitor.remove(.account, at: House.now) == (row.goes ? 1 : 0))
        #expect(try await house.names("SELECT id AS name FROM account") == (row.goes ? [] : ["guest"]))
        let tombs = try await house.names("SELECT id || ' ' || project_id AS name FROM deleted_account")
        #expect(tombs == (row.goes ? ["guest brief"] : []))
        let told = try await house.names("SELECT kind || ' ' || account_id AS name FROM outbox")
        #expect(told == (row.goes ? ["account.deleted guest"] : []))
        if row.goes { #expect(try await house.names("SELECT method AS name FROM session") == []) }
    }
}
