import Crypto
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Ways into a tenant")
struct TenantSignInTests {
    @Test("are the tenant's own providers, and nobody else's")
    func providers() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let named: [String: JSON] = ["tenantId": .string(tenant)]
        let unconfigured = try await house.gateway.signIn(house.gateway.apple(), named)
        #expect(unconfigured.status == 400)
        let configured = try await house.configure("apple.com", in: tenant)
        #expect(
            configured.json["name"]
                == .string("projects/demo/tenants/\(tenant)/defaultSupportedIdpConfigs/apple.com"))
        let here = try await house.gateway.signIn(house.gateway.apple(), named)
        #expect(here.json["tenantId"] == .string(tenant))
        let there = try await house.gateway.signIn(house.gateway.apple())
        #expect(here.json["isNewUser"] == true && there.json["isNewUser"] == true)
        #expect(here.json["localId"] != there.json["localId"])
        let google = try await house.gateway.signIn(house.gateway.google(), named)
        #expect(google.status == 400)
        let claims = try claims(of: try #require(here.json["idToken"]?.string))
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        #expect(claims["aud"] == "demo")
    }

    @Test("keep guideline 4.8: no social provider where Apple is not beside it")
    func guideline() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        #expect(try await house.configure("google.com", in: tenant).status == 409)
        _ = try await house.configure("apple.com", in: tenant)
        #expect(try await house.configure("google.com", in: tenant).status == 200)
        let shown = try await house.gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey), ("tenantId", tenant)])
        #expect(shown.json["methods"]?.elements.map { $0["providerId"] } == ["apple.com", "google.com", "password"])
        #expect(try await house.gateway.signIn(house.gateway.google(), ["tenantId": .string(tenant)]).status == 200)
    }

    /// Tenants have the project's apps: whoever changes those changes what is shown to the people of every tenant.
    @Test("keep guideline 4.8 when the project's apps are changed later")
    func guidelineLater() async throws {
        let house = try await TenantFixture()
        let (tenant, other) = (try await house.tenant(), try await house.tenant())
        for provider in ["apple.com", "google.com"] { _ = try await house.configure(provider, in: tenant) }
        _ = try await house.configure("apple.com", in: other)
        for provider in ["google.com", "apple.com"] {
            let path = "/v2/projects/demo/defaultSupportedIdpConfigs/\(provider)"
            #expect(try await house.send(.delete, path).status == 200)
        }
        let (app, mask) = ("/v2/projects/demo/apps/default", [(name: "updateMask", value: "signInMethods")])
        let refused = try await house.send(.patch, app, ["signInMethods": ["google.com", "password"]], mask)
        #expect(
            refused.outcome == "409 LOGIN_SERVICES_4_8 : app default in tenant \(tenant): it shows a social provider "
                + "and not apple.com beside it")
        #expect(try await house.gateway.signIn(house.gateway.google(), ["tenantId": .string(tenant)]).status == 200)
        let kept = try await house.send(.patch, app, ["signInMethods": ["google.com", "apple.com"]], mask)
        #expect(kept.status == 200)
        _ = try await house.gateway.database.pool.execute(
            "UPDATE app SET settings = jsonb_set(settings, '{signInMethods}', '[\"google.com\"]')")
        let findings = await DatabaseCheck(pool: house.gateway.database.pool, masterKeys: house.gateway.masterKeys)
            .findings(at: house.gateway.clock.now)
        let place = "project demo, tenant \(tenant), app default: LOGIN_SERVICES_4_8"
        #expect(findings.filter { !$0.isGood && $0.text.hasPrefix(place) }.count == 1)
        #expect(!findings.contains { $0.text.contains(other) })
    }

    @Test(
        "are custom tokens that name it, and no others",
        arguments: [
            (true, true, "200"), (true, false, "400 TENANT_ID_MISMATCH"), (false, true, "400 TENANT_ID_MISMATCH"),
        ])
    func customTokens(isNamed: Bool, isInToken: Bool, outcome: String) async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let token = try house.backend.customToken(at: house.gateway.clock.now) {
            $0["tenant_id"] = isInToken ? .string(tenant) : nil
        }
        let exchange = try await house.client(
            "signInWithCustomToken", in: isNamed ? tenant : nil, ["token": .string(token)])
        #expect(exchange.outcome == outcome)
    }

    @Test("are codes that were made in it, by links that name it")
    func codes() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        _ = try await house.signUp(in: tenant)
        _ = try await house.signUp(in: nil)
        let made = try await house.accounts(
            ":sendOobCode", of: tenant,
            ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true])
        let link = try #require(made.json["oobLink"]?.string)
        #expect(link.contains("&tenantId=\(tenant)") && link.contains("&apiKey=demo&"))
        let code: [String: JSON] = ["oobCode": try #require(made.json["oobCode"]), "newPassword": "battery staple"]
        #expect(try await house.client("resetPassword", in: nil, code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await house.client("resetPassword", in: tenant, code).status == 200)
        #expect(try await house.signIn(in: tenant, password: "battery staple").status == 200)
        #expect(try await house.signIn(in: nil, password: "secret1").status == 200)
    }

    /// The page that an email's link opens gets only the code.
    @Test("are found by the pages that links in emails open")
    func pages() async throws {
        let house = try await TenantFixture()
        let tenant = try await house.tenant()
        let (code, ada) = try await house.verificationCode(in: tenant)
        #expect(try await house.gateway.page(code).text.contains("Demo"))
        #expect(try await house.gateway.submit(code).text.contains("Your email address is confirmed"))
        #expect(try await house.gateway.lookup(ada.idToken).json["users"]?[0]?["emailVerified"] == true)
    }

    @Test("are gone with it: nothing of its people is left, and its audit trail ends when it is of age")
    func removal() async throws {
        let house = try await TenantFixture()
        let (tenant, other) = (try await house.tenant(), try await house.tenant())
        for home in [tenant, other, nil] { _ = try await house.signUp(in: home) }
        _ = try await house.accounts("", of: tenant, ["localId": "bob"])
        _ = try await house.accounts(":delete", of: tenant, ["localId": "bob"])
        _ = try await house.send(.delete, "\(TenantFixture.tenants)/\(tenant)")
        let janitor = Janitor(pool: house.gateway.database.pool)
        #expect(try await janitor.remove(.project, at: house.gateway.clock.now) == 2)
        let home = "demo/\(tenant)"
        let left = try await house.gateway.dump().split(separator: "\n").filter { $0.contains(home) }
        #expect(!left.contains { $0.contains("ada@example.com") }, "\(left)")
        #expect(try await house.gateway.database.pool.query("SELECT FROM account WHERE project_id = \(home)").isEmpty)
        let told = try await house.gateway.database.pool.query("SELECT FROM outbox WHERE project_id = \(home)")
        #expect(told.count == 2, "of Ada and of Bob")
        #expect(try await homes(of: house) == ["demo", home, "demo/\(other)"].sorted())
        #expect(try await house.signIn(in: other).status == 200)
        house.gateway.clock.advance(by: .seconds(401 * 86_400))
        for kind in [Janitor.Kind.auditEvent, .project] {
            _ = try await janitor.remove(kind, at: house.gateway.clock.now)
        }
        #expect(try await homes(of: house) == ["demo", "demo/\(other)"])
    }

    private func homes(of house: TenantFixture) async throws -> [String] {
        try await house.gateway.database.pool.query("SELECT id FROM project").map { try $0.decode("id") }.sorted()
    }
}
