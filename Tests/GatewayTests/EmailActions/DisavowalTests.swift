import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("This was not me")
struct DisavowalTests {
    private func disavow(_ code: String, at gateway: TestGateway) async throws -> Exchange {
        var headers = Headers()
        headers.add("Content-Type", "application/x-www-form-urlencoded")
        return try await gateway.send(
            .post, "/__/auth/action", body: Array("oobCode=\(code)&step=disavow".utf8), query: [], headers: headers)
    }

    @Test("whoever has the mailbox and not the account takes the address from it")
    func disavow() async throws {
        let gateway = try await TestGateway()
        let squatter = try await gateway.signUp()
        let code = try await gateway.askedCode("VERIFY_EMAIL", ["idToken": .string(squatter.idToken)])
        #expect(try await disavow(code, at: gateway).status == 200)
        #expect(try await gateway.lookup(squatter.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().outcome == "400 EMAIL_NOT_FOUND")
        #expect(try await gateway.signUp().localId != squatter.localId)
        #expect(try await disavow(code, at: gateway).status == 400)
        let told = try await gateway.database.pool.query("SELECT account_id FROM outbox WHERE kind = 'email.disavowed'")
        #expect(try told.map { try $0.decode("account_id", as: String.self) } == [squatter.localId])
    }

    @Test("nobody disavows an address that was proven")
    func proven() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.askedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        #expect(try await disavow(code, at: gateway).status == 400)
        #expect(try await gateway.account(ada.idToken)["emailVerified"] == true)
        #expect(try await gateway.apply(code).status == 200)
    }
}
