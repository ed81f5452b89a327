import Encoding
import HTTP
import Identity
import Testing

@testable import Support

/// Two gateways on one database, whose caches of the configuration do not expire during a test.
@Suite("Administrators read what is stored", .serialized)
struct StoredConfigurationTests {
    private static let config = ProjectConfigTests.path

    @Test("A gateway shows the change of a project's configuration that another gateway has stored")
    func project() async throws {
        let first = try await TestGateway()
        let second = try first.withFreshCaches()
        let backend = try await ServiceKey(in: first)
        func isSignUpDisabled(_ gateway: TestGateway) async throws -> JSON? {
            let config = try await gateway.send(.get, Self.config, by: backend)
            return config.json["client"]?["permissions"]?["disabledUserSignup"]
        }
        for isDisabled in [true, false, true] {
            // Both gateways cache the configuration of before the change.
            for gateway in [first, second] {
                _ = try await gateway.post("/v1/accounts:createAuthUri", ["identifier": "a@example.com"])
            }
            let change: JSON = ["client": ["permissions": ["disabledUserSignup": .bool(isDisabled)]]]
            let mask = "client.permissions.disabledUserSignup"
            #expect(try await first.configure(change, mask: mask, by: backend).outcome == "200")
            #expect(try await isSignUpDisabled(first) == .bool(isDisabled))
            #expect(try await isSignUpDisabled(second) == .bool(isDisabled))
        }
    }

    @Test("Requests of apps still use the cache: they cost no query of the configuration")
    func apps() async throws {
        let first = try await TestGateway()
        let second = try first.withFreshCaches()
        let backend = try await ServiceKey(in: first)
        #expect(try await second.post("/v1/accounts:signUp").status == 200)
        let change: JSON = ["signIn": ["anonymous": ["enabled": false]]]
        #expect(try await first.configure(change, mask: "signIn.anonymous.enabled", by: backend).outcome == "200")
        let config = try await second.send(.get, Self.config, by: backend)
        #expect(config.json["signIn"]?["anonymous"]?["enabled"] == false)
        #expect(try await second.post("/v1/accounts:signUp").status == 200)
    }

    @Test("An image that a brand got on another gateway is served at once")
    func image() async throws {
        let configurator = try await Configurator()
        let other = try configurator.gateway.withFreshCaches()
        #expect(try await other.getWithoutAPIKey("/__/auth/forgotPassword").status == 200)
        let id = try await BrandImageTests.id("", configurator)
        _ = try await configurator.send(.patch, "config", ["brand": ["logo": .string(id)]], mask: "brand.logo")
        #expect(try await other.getWithoutAPIKey("/__/auth/assets/demo/\(id)").status == 200)
    }
}
