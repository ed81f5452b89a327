import Identity
import Postgres
import Storage
import Testing

@testable import Support

@Suite("A database restored from a backup")
struct RestoredDatabaseTests {
    @Test("Waiting emails and codes of the backup are removed, except remedies; later ones are kept")
    func staleEmail() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let ada = try await gateway.signUpVerified(email: "ada@example.com", password: "correct horse")
        _ = try await gateway.update(ada.idToken, ["email": "countess@example.com"])
        let remedy = try await gateway.latestCode(.emailChanged)
        let early = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "bob@example.com"])
        gateway.clock.advance(by: .seconds(60))
        let backup = gateway.clock.now
        gateway.clock.advance(by: .seconds(60))
        let late = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "carol@example.com"])
        let restored = RestoredDatabase(pool: gateway.database.pool)
        _ = try await restored.removeStaleEmail(from: backup)
        #expect(try await gateway.emails().map(\.recipient) == ["carol@example.com"])
        #expect(try await gateway.signInWithEmailLink("bob@example.com", early).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.signInWithEmailLink("carol@example.com", late).outcome == "200")
        #expect(try await gateway.applyCode(remedy).json["email"] == "ada@example.com")
        let again = try await restored.removeStaleEmail(from: backup)
        #expect((again.emails, again.codes) == (0, 0))
    }

    @Test("Only sessions of the named account end")
    func sessions() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp(email: "ada@example.com")
        let onPhone = try TestGateway.Tokens(await gateway.signIn(email: "ada@example.com"))
        let bob = try await gateway.signUp(email: "bob@example.com")
        let rows = try await gateway.database.pool.query("SELECT id::text AS id FROM session")
        let sessions = Set(try rows.map { ID<Session>(try $0.decode("id", as: String.self)) })
        #expect(sessions.count == 3)
        try await RestoredDatabase(pool: gateway.database.pool).end(
            sessions, of: ID(ada.localId), recording: gateway.realm.recording(by: .commandLine),
            at: gateway.clock.now, in: gateway.realm.id)
        #expect(try await gateway.refresh(ada.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(onPhone.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(bob.refreshToken).outcome == "200")
    }
}
