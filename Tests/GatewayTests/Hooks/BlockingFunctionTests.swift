import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("Configuration of blocking functions")
struct BlockingFunctionTests {
    @Test(
        "Other events and URLs are rejected, with the texts of Firebase",
        arguments: [
            ("beforeFoo", HookFixture.url, "((Event type is invalid.))"),
            ("beforeCreate", "http://hooks.example.com/", nil),
            ("beforeCreate", "http://127.0.0.1:9/", nil),
            ("beforeCreate", "hooks", nil),
            ("beforeCreate", "ftp://hooks.example.com/", nil),
            ("beforeCreate", "https://user@hooks.example.com/", nil),
            ("beforeCreate", "https://hooks.example.com/#a", nil),
            ("beforeCreate", "https://hooks.example.com\\@eve.example/", nil),
            ("beforeCreate", "https:///x", nil),
            ("beforeCreate", "https://hooks.example.com/\(String(repeating: "a", count: 2048))", nil),
        ] as [(String, String, String?)])
    func rejected(name: String, url: String, text: String?) async throws {
        let fixture = try await HookFixture([])
        let response = try await fixture.configurator.send(
            .patch, "config", ["blockingFunctions": ["triggers": .object([name: ["functionUri": .string(url)]])]],
            mask: "blockingFunctions")
        let detail = text ?? "((Expected an absolute URI with valid scheme and host.))"
        #expect(response.outcome == "400 INVALID_BLOCKING_FUNCTION : \(detail)")
    }

    @Test("The configuration needs the scope trust")
    func trust() async throws {
        let fixture = try await HookFixture()
        let key = try await ServiceKey(id: "limited", in: fixture.gateway, scopes: ServiceKeyScopes([.config]))
        let limited = Configurator(gateway: fixture.gateway, serviceKey: key)
        for body: JSON in [
            ["blockingFunctions": [:]], ["blockingFunctions": ["forwardInboundCredentials": ["idToken": true]]],
        ] {
            let response = try await limited.send(.patch, "config", body, mask: "blockingFunctions")
            #expect(response.wireCode == "PERMISSION_DENIED", "\(response.text)")
        }
    }

    @Test("A mask changes the members that it names")
    func mask() async throws {
        let fixture = try await HookFixture()
        func functions(_ body: JSON, _ mask: String?) async throws -> JSON {
            let response = try await fixture.configurator.send(
                .patch, "config", ["blockingFunctions": body], mask: mask)
            #expect(response.status == 200, "\(response.text)")
            return response.json["blockingFunctions"] ?? .null
        }
        let forwarding = try await functions(
            ["forwardInboundCredentials": ["idToken": true]], "blockingFunctions.forwardInboundCredentials")
        #expect(forwarding["triggers"]?["beforeCreate"]?["functionUri"]?.string == HookFixture.url)
        #expect(forwarding["forwardInboundCredentials"]?["idToken"] == true)
        let one = try await functions([:], "blockingFunctions.triggers.beforeCreate")
        #expect(one["triggers"]?["beforeCreate"] == nil && one["triggers"]?["beforeSignIn"] != nil)
        #expect(one["forwardInboundCredentials"]?["idToken"] == true)
        // Firebase's clients that send no mask do not know the member.
        let unknown = try await fixture.configurator.send(.patch, "config", [:])
        #expect(unknown.json["blockingFunctions"]?["triggers"]?["beforeSignIn"] != nil)
        let none = try await functions([:], "blockingFunctions")
        #expect(none == [:])
        _ = try await fixture.gateway.signUp()
        #expect(fixture.server.calls.isEmpty)
    }

    @Test("Changes are recorded in the audit trail, by the service key")
    func audit() async throws {
        let fixture = try await HookFixture([])
        let events = try await fixture.gateway.newAuditEvents { try await fixture.configure(["beforeSignIn"]) }
        #expect(events.count == 1)
    }

    @Test("A change of the account by a function is recorded, with the function's members")
    func accountAudit() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        _ = try await fixture.gateway.signUp()
        fixture.server.answer(.reply("displayName,customClaims", #""displayName":"B","customClaims":{"a":1}"#))
        let events = try await fixture.gateway.newAuditEvents {
            let signedIn = try await fixture.gateway.signIn()
            #expect(signedIn.status == 200)
        }
        #expect(events.count == 1, "\(events)")
        let again = try await fixture.gateway.newAuditEvents {
            let signedIn = try await fixture.gateway.signIn()
            #expect(signedIn.status == 200)
        }
        #expect(again.isEmpty, "nothing changes")
    }
}
