import HTTP
import Identity
import Testing

@testable import Support

@Suite("Operations that Firebase's consoles, SDKs and Terraform call before others")
struct FirebaseAdminPathTests {
    @Test("`initializeAuth` succeeds for a service key with the scope `config`, and changes nothing")
    func initializeAuth() async throws {
        let gateway = try await TestGateway()
        let path = "/v2/projects/demo/identityPlatform:initializeAuth"
        let reader = try await ServiceKey(id: "reader", in: gateway, scopes: ServiceKeyScopes([.readUsers]))
        #expect(try await gateway.send(.post, path, [:], by: reader).status == 403)
        let backend = try await ServiceKey(in: gateway)
        let before = try await gateway.send(.get, ProjectConfigTests.path, by: backend).json
        #expect(try await gateway.send(.post, path, [:], by: backend).json == [:])
        #expect(try await gateway.send(.get, ProjectConfigTests.path, by: backend).json == before)
    }

    @Test("The operations of `/v2/projects/` are served under `/admin` too, with the same access")
    func adminPrefix() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let config = try await gateway.send(.get, ProjectConfigTests.path, by: backend)
        for prefix in ["/admin", "/identitytoolkit.googleapis.com/admin"] {
            #expect(try await gateway.send(.get, prefix + ProjectConfigTests.path, by: backend).json == config.json)
            #expect(try await gateway.getWithoutAPIKey(prefix + ProjectConfigTests.path).status == 403)
        }
        #expect(try await gateway.send(.get, "/admin/v1/projects/demo/accounts:batchGet", by: backend).status == 404)
    }

    @Test("The reCAPTCHA configuration says that no operation needs a token, in tenants too")
    func recaptcha() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        for query in [[], [("tenantId", tenant)]] {
            let config = try await fixture.gateway.send(
                .get, "/v2/recaptchaConfig", body: [], query: [("key", TestGateway.apiKey)] + query)
            #expect(
                config.json == [
                    "recaptchaKey": "projects/demo/keys/none",
                    "recaptchaEnforcementState": [
                        ["provider": "EMAIL_PASSWORD_PROVIDER", "enforcementState": "OFF"],
                        ["provider": "PHONE_PROVIDER", "enforcementState": "OFF"],
                    ],
                    "useSmsBotScore": false, "useSmsTollFraudProtection": false,
                ])
        }
        #expect(try await fixture.gateway.getWithoutAPIKey("/v2/recaptchaConfig").status == 403)
    }
}
