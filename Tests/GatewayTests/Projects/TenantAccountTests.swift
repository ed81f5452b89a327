import HTTP
import Identity
import Testing

@testable import Support

@Suite("Accounts of a tenant")
struct TenantAccountTests {
    @Test("Accounts of a tenant are separate from those of the project and of other tenants")
    func separation() async throws {
        let fixture = try await TenantFixture()
        let realms: [String?] = [nil, try await fixture.makeTenant(), try await fixture.makeTenant()]
        var ids: [String] = []
        for (index, realm) in realms.enumerated() {
            ids.append(try await fixture.signUp(in: realm, password: "secret\(index)").localId)
        }
        #expect(Set(ids).count == 3)
        for (index, realm) in realms.enumerated() {
            for other in 0..<3 {
                let exchange = try await fixture.signIn(in: realm, password: "secret\(other)")
                #expect(exchange.outcome == (other == index ? "200" : "400 INVALID_PASSWORD"))
            }
        }
        for tenant in realms.compactMap(\.self) {
            let found = try await fixture.administerAccounts(":query", of: tenant, ["returnUserInfo": true]).json
            #expect(found["recordsCount"] == "1")
            #expect(found["userInfo"]?[0]?["tenantId"] == .string(tenant))
        }
        #expect(
            try await fixture.gateway.batchGet(bearer: fixture.serviceKey.secret).json["users"]?.elements.count == 1)
    }

    @Test("Accounts of a tenant get ID tokens that the project issues and that name the tenant")
    func tokens() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: tenant)
        let claims = try claims(of: ada.idToken)
        #expect(claims["iss"] == "https://auth.example.com/demo")
        #expect(claims["aud"] == "demo")
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        let projectUser = try await fixture.signUp(in: nil)
        #expect(try Support.claims(of: projectUser.idToken)["firebase"]?["tenant"] == nil)
    }

    /// Clients name the tenant when they sign in, and usually not later.
    @Test("Accounts of a tenant are found by their tokens, without a tenant ID in the request")
    func tokensWithoutTenantID() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: tenant)
        let seen = try await fixture.gateway.lookup(ada.idToken)
        #expect(seen.json["users"]?[0]?["localId"] == .string(ada.localId))
        #expect(seen.json["users"]?[0]?["tenantId"] == .string(tenant))
        #expect(try await fixture.gateway.update(ada.idToken, ["displayName": "Ada"]).status == 200)
        let fresh = try await fixture.gateway.refresh(ada.refreshToken)
        #expect(fresh.json["user_id"] == .string(ada.localId))
        let form = try await fixture.gateway.send(
            .post, "/v1/token", body: Array("grant_type=refresh_token&refresh_token=\(ada.refreshToken)".utf8),
            query: [("key", TestGateway.apiKey)], headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.json["user_id"] == .string(ada.localId))
        #expect(try claims(of: try #require(form.json["id_token"]?.string))["firebase"]?["tenant"] == .string(tenant))
        #expect(try await fixture.gateway.delete(ada.idToken).status == 200)
        #expect(try await fixture.signIn(in: tenant).outcome == "400 EMAIL_NOT_FOUND")
    }

    @Test("A request that names a tenant is rejected if its token belongs to another tenant or to the project")
    func foreignTokens() async throws {
        let fixture = try await TenantFixture()
        let (tenant, other) = (try await fixture.makeTenant(), try await fixture.makeTenant())
        let ada = try await fixture.signUp(in: tenant)
        let projectUser = try await fixture.signUp(in: nil)
        for token in [ada.idToken, projectUser.idToken] {
            #expect(try await fixture.gateway.lookup(token).status == 200, "the gateway caches the token as valid")
        }
        let rejected: [(String?, String, String)] = [
            (other, ada.idToken, "400 TENANT_ID_MISMATCH"), (tenant, projectUser.idToken, "400 TENANT_ID_MISMATCH"),
            ("nobody", projectUser.idToken, "400 INVALID_TENANT_ID"),
            ("a/b", projectUser.idToken, "400 INVALID_TENANT_ID"),
        ]
        for (namedTenant, token, outcome) in rejected {
            #expect(
                try await fixture.callAsClient("lookup", in: namedTenant, ["idToken": .string(token)]).outcome
                    == outcome)
        }
        let refreshed = try await fixture.gateway.post(
            "/v1/token",
            [
                "grant_type": "refresh_token", "refresh_token": .string(projectUser.refreshToken),
                "tenantId": .string(tenant),
            ])
        #expect(refreshed.outcome == "400 INVALID_REFRESH_TOKEN")
    }

    /// The project signs the tokens of tenants, so only a claim distinguishes them from tokens of its own accounts.
    @Test("An ID token of a tenant can be exchanged for a session cookie of the tenant, but not for one of the project")
    func sessionCookies() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: tenant)
        let cookieOfProject = try await fixture.send(
            .post, "/v1/projects/demo:createSessionCookie",
            ["idToken": .string(ada.idToken), "validDuration": "3600"])
        #expect(cookieOfProject.outcome == "400 TENANT_ID_MISMATCH")
        let cookieOfTenant = try await fixture.send(
            .post, "/v1/projects/demo/tenants/\(tenant):createSessionCookie",
            ["idToken": .string(ada.idToken), "validDuration": "3600"])
        let claims = try claims(of: try #require(cookieOfTenant.json["sessionCookie"]?.string))
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        #expect(claims["aud"] == "demo")
    }

    @Test(
        "Sign-ups and sign-ins in a tenant are rejected if the tenant does not allow their method",
        arguments: [
            (["allowPasswordSignup": false], "signUp", ["email": "b@example.com", "password": "secret1"]),
            (["enableAnonymousUser": false], "signUp", [:]),
            (
                ["allowPasswordSignup": false], "signInWithPassword",
                ["email": "ada@example.com", "password": "secret1"]
            ),
            (
                ["enableEmailLinkSignin": false], "sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
            ),
        ] as [(JSON, String, [String: JSON])])
    func disallowedMethod(change: JSON, operation: String, body: [String: JSON]) async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.signUp(in: tenant)
        #expect(try await fixture.callAsClient(operation, in: tenant, body).status == 200)
        let mask = try #require(change.keys.first)
        _ = try await fixture.send(.patch, "\(TenantFixture.tenantsPath)/\(tenant)", change, [("updateMask", mask)])
        let refused = try await fixture.callAsClient(operation, in: tenant, body)
        #expect(
            ["400 OPERATION_NOT_ALLOWED", "400 PASSWORD_LOGIN_DISABLED", "400 ADMIN_ONLY_OPERATION"]
                .contains(refused.outcome), "\(refused.outcome)")
    }

    @Test(
        "While a tenant is disabled, its accounts cannot sign in or be looked up, but they can refresh tokens and be deleted"
    )
    func disabled() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: tenant)
        _ = try await fixture.send(
            .patch, "\(TenantFixture.tenantsPath)/\(tenant)", ["disableAuth": true], [("updateMask", "disableAuth")])
        #expect(try await fixture.signIn(in: tenant).outcome == "400 PROJECT_DISABLED")
        #expect(try await fixture.gateway.lookup(ada.idToken).outcome == "400 PROJECT_DISABLED")
        #expect(try await fixture.administerAccounts(":lookup", of: tenant).outcome == "400 PROJECT_DISABLED")
        #expect(try await fixture.gateway.refresh(ada.refreshToken).status == 200)
        let deleted = try await fixture.administerAccounts(
            ":batchDelete", of: tenant, ["localIds": [.string(ada.localId)], "force": true])
        #expect(deleted.status == 200)
    }

    @Test("An account with a tenant ID can be imported only into that tenant, and one without a tenant ID anywhere")
    func batchImport() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let exchange = try await fixture.administerAccounts(
            ":batchCreate", of: tenant,
            [
                "users": [
                    ["localId": "a", "tenantId": .string(tenant)], ["localId": "b"],
                    ["localId": "c", "tenantId": "other"],
                ]
            ])
        #expect(exchange.json["error"]?.elements.map { $0["index"] } == [2])
        let intoProject = try await fixture.send(
            .post, "/v1/projects/demo/accounts:batchCreate", ["users": [["localId": "d", "tenantId": .string(tenant)]]])
        #expect(
            intoProject.json["error"]?[0]?["message"]
                == "Tenant id in userInfo does not match the tenant id in request.")
    }

    @Test("Administrators name a tenant in path, query or body; two different tenant IDs are rejected")
    func namedTenant() async throws {
        let fixture = try await TenantFixture()
        let (tenant, other) = (try await fixture.makeTenant(), try await fixture.makeTenant())
        let ada = try await fixture.signUp(in: tenant)
        _ = try await fixture.administerAccounts("", of: tenant, ["localId": "bob"])
        let body: JSON = ["localId": [.string(ada.localId)], "tenantId": .string(tenant)]
        for path in ["/v1/accounts:lookup", "/v1/projects/demo/accounts:lookup"] {
            #expect(try await fixture.send(.post, path, body).json["users"]?.elements.count == 1)
        }
        let events = try await fixture.send(.get, "/v1/projects/demo/auditEvents", nil, [("tenantId", tenant)])
        #expect(events.json["auditEvents"]?.elements.map { $0["action"] } == ["account.created"])
        #expect(try await fixture.administerAccounts(":lookup", of: other, body).outcome == "400 TENANT_ID_MISMATCH")
        let unknown = try await fixture.send(.post, "/v1/accounts:lookup", ["tenantId": "nobody", "localId": ["a"]])
        #expect(unknown.outcome == "404 TENANT_NOT_FOUND")
    }
}
