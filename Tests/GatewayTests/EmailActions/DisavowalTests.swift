import Identity
import Postgres
import Testing

@testable import Support

/// In a disavowal, the owner of a mailbox states "This was not me" about an account with its address.
@Suite("Disavowing an address")
struct DisavowalTests {
    private func submitDisavowal(_ code: String, at gateway: TestGateway) async throws -> Exchange {
        try await gateway.submitActionPage(code, ["step": "disavow"])
    }

    @Test("A disavowal removes an unverified address from the account, and ends the account's sessions")
    func unverifiedAddress() async throws {
        let gateway = try await TestGateway()
        let attacker = try await gateway.signUp()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(attacker.idToken)])
        #expect(try await gateway.openActionPage(code).text.contains("This was not me"))
        #expect(try await submitDisavowal(code, at: gateway).text.contains("Thank you for telling us"))
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().outcome == "400 EMAIL_NOT_FOUND")
        // The address is free again.
        #expect(try await gateway.signUp().localId != attacker.localId)
        #expect(try await submitDisavowal(code, at: gateway).status == 400)
        let events = try await gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'email.disavowed'")
        #expect(try events.map { try $0.decode("account_id", as: String.self) } == [attacker.localId])
    }

    @Test("A verified address cannot be disavowed")
    func verifiedAddress() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        #expect(try await submitDisavowal(code, at: gateway).status == 400)
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == true)
        #expect(try await gateway.applyCode(code).status == 200)
    }
}
