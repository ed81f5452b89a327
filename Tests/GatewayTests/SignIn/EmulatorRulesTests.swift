import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("The emulator's rules do not apply in production")
struct EmulatorRulesTests {
    private static func fixture() async throws -> TenantFixture {
        try await TenantFixture(TestGateway { $0.emailEnumerationProtection = true })
    }

    @Test("An unknown tenant is not created")
    func tenant() async throws {
        let fixture = try await Self.fixture()
        #expect(try await fixture.send(.get, "\(TenantFixture.tenantsPath)/acme").status == 404)
    }

    @Test("A continue URL needs an authorized domain, even if the domains were never changed")
    func continueURL() async throws {
        let fixture = try await Self.fixture()
        let answer = try await fixture.gateway.sendOobCode(
            "EMAIL_SIGNIN", ["email": "ada@example.com", "continueUrl": "https://app.example.com"])
        #expect(answer.outcome.hasPrefix("400 UNAUTHORIZED_DOMAIN"))
    }

    @Test("A backend that requests a password reset for an unknown address gets an error")
    func reset() async throws {
        let answer = try await Self.fixture().send(
            .post, "/v1/projects/demo/accounts:sendOobCode",
            ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true])
        #expect(answer.outcome == "400 EMAIL_NOT_FOUND")
    }

    @Test("A fake password hash is not imported")
    func hash() async throws {
        let answer = try await Self.fixture().send(
            .post, "/v1/projects/demo/accounts:batchCreate",
            ["users": [["localId": "ada", "passwordHash": "fakeHash:salt=x:password=secret1"]]])
        #expect(answer.json["error"]?[0]?["message"] != nil, "\(answer.text)")
    }

    @Test("Linking an identity that the account already has is accepted")
    func repeatedLink() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signIn(gateway.appleCredential())
        let again = try await gateway.link(gateway.appleCredential(), to: try #require(ada.json["idToken"]?.string))
        #expect(again.outcome == "200")
    }

    @Test("An address that was never verified gets no recovery email")
    func recovery() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let changed = try await gateway.update(ada.idToken, ["email": "new@example.com"])
        #expect(changed.outcome == "200")
        #expect(try await gateway.emails(.emailChanged).isEmpty)
        let user = try await gateway.accountSeenByUser(try #require(changed.json["idToken"]?.string))
        #expect(user["initialEmail"] == "ada@example.com")
    }

    @Test("A token that is signed with an unknown key is rejected")
    func unknownKey() async throws {
        let gateway = try await TestGateway()
        let other = try await TestGateway()
        // From now on, the other gateway's simulated Apple signs with a key that `gateway` does not know.
        try other.simulators.apple.rotateKeys()
        let answer = try await gateway.signIn(other.appleCredential())
        #expect(answer.outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }
}
