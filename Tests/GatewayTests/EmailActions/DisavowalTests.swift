import Identity
import Postgres
import Testing

@testable import Support

@Suite("Disavowing an address")
struct DisavowalTests {
    private func disavow(_ code: String, at gateway: TestGateway) async throws -> Exchange {
        try await gateway.submit(code, ["step": "disavow"])
    }

    @Test("The owner of the mailbox removes the address from another user's account")
    func disavow() async throws {
        let gateway = try await TestGateway()
        let attacker = try await gateway.signUp()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(attacker.idToken)])
        #expect(try await gateway.openPage(code).text.contains("This was not me"))
        #expect(try await disavow(code, at: gateway).text.contains("Thank you for telling us"))
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().outcome == "400 EMAIL_NOT_FOUND")
        #expect(try await gateway.signUp().localId != attacker.localId)
        #expect(try await disavow(code, at: gateway).status == 400)
        let events = try await gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'email.disavowed'")
        #expect(try events.map { try $0.decode("account_id", as: String.self) } == [attacker.localId])
    }

    @Test("A verified address cannot be disavowed")
    func verifiedAddress() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        #expect(try await disavow(code, at: gateway).status == 400)
        #expect(try await gateway.account(ada.idToken)["emailVerified"] == true)
        #expect(try await gateway.apply(code).status == 200)
    }
}
