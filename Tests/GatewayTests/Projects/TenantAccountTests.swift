import HTTP
import Identity
import Testing

@testable import Support

@Suite("Accounts of a tenant")
struct TenantAccountTests {
    @Test("have nothing to do with those of the project, or of another tenant")
    func separation() async throws {
        let house = try await TenantFixture()
        let homes: [String?] = [nil, try await house.tenant(), try await house.tenant()]
        var people: [String] = []
        for (index, home) in homes.enumerated() {
            people.append(try await house.signUp(in: home, password: "secret\(index)").localId)
        }
        #expect(Set(people).count == 3)
        for (index, home) in homes.enumerated() {
            for other in 0..<3 {
                let exchange = try await house.signIn(in: home, password: "secret\(other)")
                #expect(exchange.outcome == (other == index ? "200" : "400 INVALID_PASSWORD"))
            }
        }
        for tenant in homes.compactMap(\.self) {
            let found = try await house.accounts(":query", of: tenant, ["returnUserInfo": true]).json
            #expect(found["recordsCount"] == "1")
            #expect(found["userInfo"]?[0]?["tenantId"] == .string(tenant))
        }
        #expect(try await house.gateway.batchGet(bearer: house.backend.secret).json["users"]?.elements.count == 1)
    }

    @Test("get tokens of the project that name the tenant")
    func tokens() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let ada = try await house.signUp(in: tenant)
        let claims = try claims(of: ada.idToken)
        #expect(claims["iss"] == "https://auth.example.com/demo")
        #expect(claims["aud"] == "demo")
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        let plain = try await house.signUp(in: nil)
        #expect(try Support.claims(of: plain.idToken)["firebase"]?["tenant"] == nil)
    }

    /// Clients name the tenant when they sign in, and hardly ever after that.
    @Test("are found by their tokens alone")
    func tokensAlone() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let ada = try await house.signUp(in: tenant)
        let seen = try await house.gateway.lookup(ada.idToken)
        #expect(seen.json["users"]?[0]?["localId"] == .string(ada.localId))
        #expect(seen.json["users"]?[0]?["tenantId"] == .string(tenant))
        #expect(try await house.gateway.update(ada.idToken, ["displayName": "Ada"]).status == 200)
        let fresh = try await house.gateway.refresh(ada.refreshToken)
        #expect(fresh.json["user_id"] == .string(ada.localId))
        let form = try await house.gateway.send(
            .post, "/v1/token", body: Array("grant_type=refresh_token&refresh_token=\(ada.refreshToken)".utf8),
            query: [("key", TestGateway.apiKey)], headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.json["user_id"] == .string(ada.localId))
        #expect(try claims(of: try #require(form.json["id_token"]?.string))["firebase"]?["tenant"] == .string(tenant))
        #expect(try await house.gateway.delete(ada.idToken).status == 200)
        #expect(try await house.signIn(in: tenant).outcome == "400 EMAIL_NOT_FOUND")
    }

    @Test("are not reached with tokens of elsewhere")
    func foreignTokens() async throws {
        let house = try await TenantFixture()
        let (tenant, other) = (try await house.tenant(), try await house.tenant())
        let ada = try await house.signUp(in: tenant)
        let plain = try await house.signUp(in: nil)
        for token in [ada.idToken, plain.idToken] {
            #expect(try await house.gateway.lookup(token).status == 200, "and is remembered as genuine")
        }
        let unknown: [(String?, String, String)] = [
            (other, ada.idToken, "400 TENANT_ID_MISMATCH"), (tenant, plain.idToken, "400 TENANT_ID_MISMATCH"),
            ("nobody", plain.idToken, "400 INVALID_TENANT_ID"), ("a/b", plain.idToken, "400 INVALID_TENANT_ID"),
        ]
        for (named, token, outcome) in unknown {
            #expect(
                try await house.client("lookup", in: named, ["idToken": .string(token)]).outcome == outcome)
        }
        let refreshed = try await house.gateway.post(
            "/v1/token",
            ["grant_type": "refresh_token", "refresh_token": .string(plain.refreshToken), "tenantId": .string(tenant)])
        #expect(refreshed.outcome == "400 INVALID_REFRESH_TOKEN")
    }

    /// A token is the project's to sign, so only its claim tells it from one of the project's own accounts.
    @Test("are no accounts of the project, whatever their tokens are signed with")
    func projectsOwn() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let ada = try await house.signUp(in: tenant)
        let cookie = try await house.send(
            .post, "/v1/projects/demo:createSessionCookie",
            ["idToken": .string(ada.idToken), "validDuration": "3600"])
        #expect(cookie.outcome == "400 TENANT_ID_MISMATCH")
        let right = try await house.send(
            .post, "/v1/projects/demo/tenants/\(tenant):createSessionCookie",
            ["idToken": .string(ada.idToken), "validDuration": "3600"])
        let claims = try claims(of: try #require(right.json["sessionCookie"]?.string))
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        #expect(claims["aud"] == "demo")
    }

    @Test(
        "are made and used only as the tenant allows",
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
    func switches(change: JSON, operation: String, body: [String: JSON]) async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        _ = try await house.signUp(in: tenant)
        #expect(try await house.client(operation, in: tenant, body).status == 200)
        let mask = try #require(change.keys.first)
        _ = try await house.send(.patch, "\(TenantFixture.tenants)/\(tenant)", change, [("updateMask", mask)])
        let refused = try await house.client(operation, in: tenant, body)
        #expect(
            ["400 OPERATION_NOT_ALLOWED", "400 PASSWORD_LOGIN_DISABLED", "400 ADMIN_ONLY_OPERATION"]
                .contains(refused.outcome), "\(refused.outcome)")
    }

    @Test("rest while the tenant is disabled, but for what ends them")
    func disabled() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let ada = try await house.signUp(in: tenant)
        _ = try await house.send(
            .patch, "\(TenantFixture.tenants)/\(tenant)", ["disableAuth": true], [("updateMask", "disableAuth")])
        #expect(try await house.signIn(in: tenant).outcome == "400 PROJECT_DISABLED")
        #expect(try await house.gateway.lookup(ada.idToken).outcome == "400 PROJECT_DISABLED")
        #expect(try await house.accounts(":lookup", of: tenant).outcome == "400 PROJECT_DISABLED")
        #expect(try await house.gateway.refresh(ada.refreshToken).status == 200)
        let deleted = try await house.accounts(
            ":batchDelete", of: tenant, ["localIds": [.string(ada.localId)], "force": true])
        #expect(deleted.status == 200)
    }

    @Test("are imported with their tenant's name or without any")
    func batchImport() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let exchange = try await house.accounts(
            ":batchCreate", of: tenant,
            [
                "users": [
                    ["localId": "a", "tenantId": .string(tenant)], ["localId": "b"],
                    ["localId": "c", "tenantId": "other"],
                ]
            ])
        #expect(exchange.json["error"]?.elements.map { $0["index"] } == [2])
        let plain = try await house.send(
            .post, "/v1/projects/demo/accounts:batchCreate", ["users": [["localId": "d", "tenantId": .string(tenant)]]])
        #expect(plain.json["error"]?[0]?["message"] == "Tenant id in userInfo does not match the tenant id in request.")
    }

    @Test("are administered by a name in the query or the body, too; two that differ are none")
    func named() async throws {
        let house = try await TenantFixture()
        let (tenant, other) = (try await house.tenant(), try await house.tenant())
        let ada = try await house.signUp(in: tenant)
        _ = try await house.accounts("", of: tenant, ["localId": "bob"])
        let body: JSON = ["localId": [.string(ada.localId)], "tenantId": .string(tenant)]
        for path in ["/v1/accounts:lookup", "/v1/projects/demo/accounts:lookup"] {
            #expect(try await house.send(.post, path, body).json["users"]?.elements.count == 1)
        }
        let events = try await house.send(.get, "/v1/projects/demo/auditEvents", nil, [("tenantId", tenant)])
        #expect(events.json["auditEvents"]?.elements.map { $0["action"] } == ["account.created"])
        #expect(try await house.accounts(":lookup", of: other, body).outcome == "400 TENANT_ID_MISMATCH")
        let unknown = try await house.send(.post, "/v1/accounts:lookup", ["tenantId": "nobody", "localId": ["a"]])
        #expect(unknown.outcome == "404 TENANT_NOT_FOUND")
    }
}
