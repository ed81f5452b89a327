import HTTP
import Testing

@testable import Support

@Suite("The configuration of mandatory second factors")
struct MandatoryFactorConfigurationTests {
    private static let config = "/v2/projects/demo/config"
    private static let oneTimePasswords: JSON = [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]]

    private static func withoutPasskeys() async throws -> TenantFixture {
        let fixture = try await TenantFixture()
        let changed = try await fixture.send(
            .patch, config, ["passkeys": ["enabled": false]], [("updateMask", "passkeys.enabled")])
        #expect(changed.outcome == "200")
        return fixture
    }

    @Test("They are refused in a project whose users can add neither a factor nor a passkey")
    func project() async throws {
        let fixture = try await Self.withoutPasskeys()
        func patch(_ mask: String, _ body: JSON) async throws -> String {
            try await fixture.send(.patch, Self.config, body, [("updateMask", mask)]).outcome
        }
        let mandatory: JSON = ["mfa": ["state": "MANDATORY"]]
        let refused = try await patch("mfa.state", mandatory)
        #expect(refused.hasPrefix("400 INVALID_CONFIG : secondFactors must not be mandatory"), "\(refused)")
        #expect(refused.contains("allowsTotp"))
        #expect(try await patch("mfa.enabledProviders", ["mfa": ["enabledProviders": ["PHONE_SMS"]]]) == "200")
        #expect(try await patch("mfa.state", mandatory) == "200")
        #expect(try await patch("mfa.providerConfigs", ["mfa": ["providerConfigs": Self.oneTimePasswords]]) == "200")
        #expect(try await patch("mfa.enabledProviders", ["mfa": ["enabledProviders": []]]) == "200")
        let withoutKinds: JSON = ["mfa": ["providerConfigs": []]]
        #expect(try await patch("mfa.providerConfigs", withoutKinds).hasPrefix("400 INVALID_CONFIG"))
        #expect(try await patch("passkeys.enabled", ["passkeys": ["enabled": true]]) == "200")
        #expect(try await patch("mfa.providerConfigs", withoutKinds) == "200")
        let withoutPasskeys = try await patch("passkeys.enabled", ["passkeys": ["enabled": false]])
        #expect(withoutPasskeys.hasPrefix("400 INVALID_CONFIG"))
    }

    @Test("They are refused in such a tenant, when it is created and when it changes")
    func tenant() async throws {
        let fixture = try await Self.withoutPasskeys()
        let mandatory: JSON = ["displayName": "Acme", "mfaConfig": ["state": "MANDATORY"]]
        let refused = try await fixture.send(.post, TenantFixture.tenantsPath, mandatory).outcome
        #expect(refused.hasPrefix("400 INVALID_CONFIG : tenant "), "\(refused)")
        let path = "\(TenantFixture.tenantsPath)/\(try await fixture.makeTenant())"
        func patch(_ body: JSON) async throws -> String {
            try await fixture.send(.patch, path, ["mfaConfig": body], [("updateMask", "mfaConfig")]).outcome
        }
        #expect(try await patch(["state": "MANDATORY"]).hasPrefix("400 INVALID_CONFIG : tenant "))
        #expect(try await patch(["state": "MANDATORY", "providerConfigs": Self.oneTimePasswords]) == "200")
    }
}
