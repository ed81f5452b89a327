import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Requests of unmodified Firebase clients")
struct StockClientTests {
    struct Name: CustomTestStringConvertible {
        let user: String
        let displayName: String?

        var testDescription: String { user }
    }

    @Test(
        "The name can be raw JSON, and an invalid name does not prevent a sign-in",
        arguments: [
            Name(user: #"{"name":{"firstName":"A&B","lastName":"100%"}}"#, displayName: "A&B 100%"),
            Name(user: #"{"name":{"firstName":"C++","lastName":"=x&nonce=y"}}"#, displayName: "C++ =x&nonce=y"),
            Name(user: #"{"name":{"firstName":"}\"{","lastName":"\\"}}"#, displayName: #"}"{ \"#),
            Name(user: #"{"name":{"firstName":"Ada"}}&x=y"#, displayName: "Ada"),
            Name(user: "%7B%22name%22%3A%7B%22firstName%22%3A%22A%26B+C%22%7D%7D", displayName: "A&B C"),
            Name(user: #"{"name":"Ada"}"#, displayName: nil), Name(user: "{", displayName: nil),
            Name(user: "nobody", displayName: nil), Name(user: "", displayName: nil),
        ])
    func name(row: Name) async throws {
        let gateway = try await TestGateway()
        let proof = try gateway.apple(.alan)
        let answer = try await gateway.signInWithIdp([
            "requestUri": "http://localhost", "postBody": .string("\(proof.postBody)&user=\(row.user)"),
        ])
        #expect(answer.outcome == "200")
        #expect(answer.json["displayName"]?.string == row.displayName)
    }

    @Test("A pending token takes precedence over a post body, whatever the body contains")
    func pendingToken() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signIn(gateway.apple())
        let anonymous = try await gateway.signUpAnonymously()
        let conflict = try await gateway.link(gateway.apple(), to: anonymous.idToken)
        let retried = try await gateway.signInWithIdp([
            "requestUri": "http://localhost", "postBody": "providerId=apple.com&id_token=%ZZ",
            "pendingToken": .string(try #require(conflict.pendingToken)),
        ])
        #expect(retried.json["localId"] == ada.json["localId"], "\(retried.text)")
    }

    @Test("Google's token with the gateway's nonce is accepted again without the nonce")
    func googleAgain() async throws {
        let gateway = try await TestGateway()
        let issued = try await gateway.post("/v1/accounts:issueNonce")
        var proof = try gateway.google(nonce: try #require(issued.json["nonce"]?.string))
        let first = try await gateway.signIn(proof)
        proof.rawNonce = nil
        gateway.clock.advance(by: .seconds(700))
        for _ in 0..<2 { #expect(try await gateway.signIn(proof).json["localId"] == first.json["localId"]) }
    }

    @Test("Apple's token does not sign in again without its nonce")
    func appleAgain() async throws {
        let gateway = try await TestGateway()
        let issued = try await gateway.post("/v1/accounts:issueNonce")
        var proof = try gateway.apple(nonce: try #require(issued.json["nonce"]?.string))
        #expect(try await gateway.signIn(proof).outcome == "200")
        proof.rawNonce = nil
        #expect(try await gateway.signIn(proof).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("Checking a sign-in code returns its address")
    func signInLink() async throws {
        let gateway = try await TestGateway()
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        #expect(try await gateway.check(code).json["email"] == "ada@example.com")
    }
}

@Suite("The first address of an account")
struct InitialEmailTests {
    @Test("The first address is removed when the owner of a later address reclaims the account")
    func reclaimed() async throws {
        let gateway = try await TestGateway()
        let attacker = try await gateway.signUp(email: "eve@example.com")
        let changed = try await gateway.update(attacker.idToken, ["email": "ada.lovelace@example.com"])
        let before = try await gateway.account(try #require(changed.json["idToken"]?.string))
        #expect(before["initialEmail"] == "eve@example.com")
        let ada = try await gateway.signIn(gateway.apple())
        #expect(ada.json["localId"]?.string == attacker.localId, "\(ada.text)")
        #expect(try await gateway.account(try #require(ada.json["idToken"]?.string))["initialEmail"] == nil)
    }
}

@Suite("The emulator's rules do not apply in production")
struct EmulatorRulesTests {
    private static func fixture() async throws -> TenantFixture {
        try await TenantFixture(TestGateway { $0.emailEnumerationProtection = true })
    }

    @Test("An unknown tenant is not created")
    func tenant() async throws {
        let fixture = try await Self.fixture()
        #expect(try await fixture.send(.get, "\(TenantFixture.tenants)/acme").status == 404)
    }

    @Test("A continue URL needs an authorized domain, even if the project has only the initial one")
    func continueURL() async throws {
        let fixture = try await Self.fixture()
        let answer = try await fixture.gateway.sendCode(
            "EMAIL_SIGNIN", ["email": "ada@example.com", "continueUrl": "https://app.example.com"])
        #expect(answer.outcome.hasPrefix("400 UNAUTHORIZED_DOMAIN"))
    }

    @Test("A backend gets an error for a password reset without an account")
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
        let ada = try await gateway.signIn(gateway.apple())
        let again = try await gateway.link(gateway.apple(), to: try #require(ada.json["idToken"]?.string))
        #expect(again.outcome == "200")
    }

    @Test("An address that was never verified gets no recovery email")
    func recovery() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let changed = try await gateway.update(ada.idToken, ["email": "new@example.com"])
        #expect(changed.outcome == "200")
        #expect(try await gateway.emails(.emailChanged).isEmpty)
        let user = try await gateway.account(try #require(changed.json["idToken"]?.string))
        #expect(user["initialEmail"] == "ada@example.com")
    }

    @Test("A token with an unknown key is rejected")
    func unknownKey() async throws {
        let gateway = try await TestGateway()
        let other = try await TestGateway()
        try other.simulators.apple.rotateKeys()
        let answer = try await gateway.signIn(other.apple())
        #expect(answer.outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }
}
