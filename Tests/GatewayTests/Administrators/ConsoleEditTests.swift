import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

/// Pages of the console that are older than a change by another caller.
@Suite("Forms of the console on older pages", .serialized)
struct ConsoleEditTests {
    private static let account = "/console/demo/accounts/account?id=ada"

    @Test("A form of the profile reverts nothing that the user has changed meanwhile")
    func profile() async throws {
        let fixture = try await ConsoleFixture()
        let backend = try await ServiceKey(id: "setup", in: fixture.gateway)
        func update(_ path: String, _ body: JSON) async throws -> Exchange {
            try await fixture.gateway.send(.post, "/v1/projects/demo/\(path)", body, by: backend)
        }
        let old: JSON = ["localId": "ada", "email": "old@example.com", "phoneNumber": "+15551234567"]
        #expect(try await update("accounts", old).outcome == "200")
        let owner = try await fixture.signIn(as: "owner")
        let page = try await owner.open(Self.account)
        let new: JSON = [
            "localId": "ada", "email": "new@example.com", "emailVerified": true, "phoneNumber": "+15557654321",
        ]
        #expect(try await update("accounts:update", new).outcome == "200")
        let shown = ["email": "old@example.com", "phoneNumber": "+15551234567"]
        let saved = try await owner.submit(page, "profile", shown.merging(["displayName": "Ada"]) { $1 })
        #expect(saved.status == 303, "\(saved.text)")
        let vouched = try await owner.submit(page, "profile", shown.merging(["emailVerified": "true"]) { $1 })
        #expect(vouched.status == 303, "the address is verified already")
        let reverted = try await owner.submit(page, "profile", shown.merging(["email": "eve@example.com"]) { $1 })
        #expect(reverted.status == 400 && reverted.text.contains("has changed meanwhile"), "\(reverted.text)")
        #expect(reverted.text.contains("value=\"new@example.com\""))
        let user = try await update("accounts:lookup", ["localId": ["ada"]]).json["users"]?[0]
        #expect(user?["email"] == "new@example.com" && user?["emailVerified"] == true)
        #expect(user?["phoneNumber"] == "+15557654321" && user?["displayName"] == "Ada")
    }

    @Test("Two tabs, on two gateways, change two policies: both changes last")
    func policies() async throws {
        let fixture = try await ConsoleFixture()
        let owner = try await fixture.signIn(as: "owner")
        let other = try fixture.gateway.withFreshCaches()
        let elsewhere = ConsoleVisitor(other)
        for (name, value) in owner.browser.cookies { elsewhere.browser.setCookie(name, value) }
        let path = "/console/demo/settings"
        let shown = [
            "signIn.email.enabled": "true", "signIn.anonymous.enabled": "true",
        ]
        let (first, second) = (try await owner.open(path), try await elsewhere.open(path))
        let signUp = "client.permissions.disabledUserSignup"
        let closed = try await owner.submit(first, "policies", shown.merging([signUp: "true"]) { $1 })
        #expect(closed.status == 303, "\(closed.text)")
        let deletion = "client.permissions.disabledUserDeletion"
        let kept = try await elsewhere.submit(second, "policies", shown.merging([deletion: "true"]) { $1 })
        #expect(kept.status == 303, "\(kept.text)")
        let backend = try await ServiceKey(id: "reader", in: other)
        let config = try await other.send(.get, "/v2/projects/demo/config", by: backend)
        #expect(
            config.json["client"]?["permissions"] == ["disabledUserSignup": true, "disabledUserDeletion": true])
        for page in [try await owner.open(path), try await elsewhere.open(path)] {
            for name in [signUp, deletion] {
                #expect(page.text.contains(#"name="\#(name)" checked"#), "\(name)")
            }
        }
    }

    @Test("A text is stored beside the texts that other pages have stored")
    func texts() async throws {
        let fixture = try await ConsoleFixture()
        let owner = try await fixture.signIn(as: "owner")
        let page = try await owner.open("/console/demo/texts")
        for (key, text) in [("signInTitle", "Hello"), ("signUpTitle", "Welcome"), ("signInTitle", "")] {
            let values = ["key": key, "language": "de", "text": text]
            #expect(try await owner.submit(page, "texts", values).status == 303)
        }
        let backend = try await ServiceKey(id: "reader", in: fixture.gateway)
        let config = try await fixture.gateway.send(.get, "/v2/projects/demo/config", by: backend)
        #expect(config.json["texts"] == [["key": "signUpTitle", "language": "de", "text": "Welcome"]])
    }
}
