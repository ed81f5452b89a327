import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Deletion of an account")
struct DeletionTests {
    @Test("A deletion removes the user's addresses and names from every table except that of outgoing emails")
    func deletion() async throws {
        let gateway = try await TestGateway()
        let person = SimulatedPerson.named("Ada", "Lovelace").with { $0.email = "ada.lovelace@gmail.com" }
        let ada = try await gateway.signUpVerified(email: "augusta@example.com")
        _ = try await gateway.link(gateway.googleCredential(person), to: ada.idToken)
        _ = try await gateway.update(ada.idToken, ["displayName": "Countess"])
        let guest = try await gateway.signUpAnonymously()
        _ = try await gateway.update(guest.idToken, ["displayName": "Guest of honour"])
        let merged = try await gateway.merge(guest, intoAccountOf: gateway.googleCredential(person))
        #expect(merged.json["localId"]?.string == ada.localId, "\(merged.text)")
        for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
            _ = try await gateway.sendOobCode(type, ["email": "augusta@example.com"])
        }
        let personalData = ["augusta@example.com", "ada.lovelace@gmail.com", "Countess", "Guest of honour", "Lovelace"]
        let before = try await gateway.databaseDump()
        for text in personalData {
            #expect(before.contains(text), "\(text)")
        }
        #expect(try await gateway.delete(ada.idToken).status == 200)
        let notice = try #require(try await gateway.emails().first)
        #expect(try await gateway.emails().map(\.kind) == [.accountDeleted])
        #expect(notice.recipient == "augusta@example.com")
        _ = try await gateway.database.pool.execute("DELETE FROM outgoing_email")
        let after = try await gateway.databaseDump()
        for text in personalData {
            #expect(!after.contains(text), "\(text)")
        }
        let events = try await gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'account.deleted'")
        #expect(try events.map { try $0.decode("account_id", as: String.self) } == [ada.localId])
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 USER_NOT_FOUND")
    }
}
