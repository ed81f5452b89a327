import HTTP
import Identity
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Guideline 4.8 in a tenant with an OpenID provider")
struct TenantLoginServicesTests {
    static let provider: JSON = ["clientId": "corp", "issuer": "https://id.corp.example", "enabled": true]

    private static func create(
        _ provider: JSON, in tenant: String, of fixture: TenantFixture
    ) async throws -> Exchange {
        try await fixture.send(
            .post, "\(TenantFixture.tenantsPath)/\(tenant)/oauthIdpConfigs", provider,
            [("oauthIdpConfigId", "oidc.corp")])
    }

    @Test("`sekisho serve` rejects it, and the message names the declaration, with which it is accepted")
    func serve() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let rejected = try await Self.create(Self.provider, in: tenant, of: fixture)
        #expect(rejected.status == 409)
        #expect(rejected.outcome.contains("set the provider's relation to organisation"))
        #expect(rejected.outcome.contains("the exemption organisationAccounts and only this provider in signInMethods"))

        // The default app offers all methods of the project, so the organisation gets an app of its own.
        let app: JSON = [
            "appId": "corp", "platform": "ios", "bundleIds": ["com.example.corp"], "signInMethods": ["oidc.corp"],
            "exemption": ["kind": "organisationAccounts", "reason": "employees of Corp only"],
        ]
        let made = try await fixture.send(.post, "/v2/projects/demo/apps", app)
        #expect(made.outcome == "200")
        let restricted = try await fixture.send(
            .patch, "/v2/projects/demo/apps/default", ["signInMethods": ["apple.com", "google.com", "password"]],
            [("updateMask", "signInMethods")])
        #expect(restricted.outcome == "200")
        guard case .object(var provider) = Self.provider else { return }
        provider["relation"] = "organisation"
        #expect(try await Self.create(.object(provider), in: tenant, of: fixture).outcome == "200")
    }

    @Test("`sekisho dev` accepts it with a warning, and users of the tenant can use its other providers")
    func dev() async throws {
        let fixture = try await TenantFixture(TestGateway(mode: .withProjectsOfDev), secret: "owner")
        let tenant = try await fixture.makeTenant()
        let created = try await Self.create(Self.provider, in: tenant, of: fixture)
        #expect(created.outcome == "200")
        let warnings = created.json["warnings"]?.elements.compactMap(\.string) ?? []
        #expect(warnings.count == 1 && warnings[0].contains("it shows oidc.corp while apple.com is not configured"))
        let methods = try await fixture.gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", "any"), ("tenantId", tenant)])
        #expect(
            methods.json["methods"]?.elements.map { $0["providerId"] } == [
                "apple.com", "google.com", "oidc.corp", "password",
            ])
    }
}
