import Crypto
import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Sign-in to a tenant")
struct TenantSignInTests {
    @Test("Sign-in to a tenant uses only the tenant's own providers")
    func providers() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let inTenant: [String: JSON] = ["tenantId": .string(tenant)]
        let unconfigured = try await fixture.gateway.signIn(fixture.gateway.appleCredential(), inTenant)
        #expect(unconfigured.status == 400)
        let configured = try await fixture.enableProvider("apple.com", in: tenant)
        #expect(
            configured.json["name"]
                == .string("projects/demo/tenants/\(tenant)/defaultSupportedIdpConfigs/apple.com"))
        let here = try await fixture.gateway.signIn(fixture.gateway.appleCredential(), inTenant)
        #expect(here.json["tenantId"] == .string(tenant))
        let there = try await fixture.gateway.signIn(fixture.gateway.appleCredential())
        #expect(here.json["isNewUser"] == true && there.json["isNewUser"] == true)
        #expect(here.json["localId"] != there.json["localId"])
        let google = try await fixture.gateway.signIn(fixture.gateway.googleCredential(), inTenant)
        #expect(google.status == 400)
        let claims = try claims(of: try #require(here.json["idToken"]?.string))
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
        #expect(claims["aud"] == "demo")
    }

    @Test("App Review guideline 4.8 applies to tenants: a social provider can be enabled only after Apple")
    func guideline() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        #expect(try await fixture.enableProvider("google.com", in: tenant).status == 409)
        _ = try await fixture.enableProvider("apple.com", in: tenant)
        #expect(try await fixture.enableProvider("google.com", in: tenant).status == 200)
        let shown = try await fixture.gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey), ("tenantId", tenant)])
        #expect(shown.json["methods"]?.elements.map { $0["providerId"] } == ["apple.com", "google.com", "password"])
        #expect(
            try await fixture.gateway.signIn(fixture.gateway.googleCredential(), ["tenantId": .string(tenant)]).status
                == 200)
    }

    /// Tenants share the project's apps, so a change of an app affects every tenant.
    @Test("A change of the project's apps must meet guideline 4.8 in each tenant")
    func guidelineLater() async throws {
        let fixture = try await TenantFixture()
        let (tenant, other) = (try await fixture.makeTenant(), try await fixture.makeTenant())
        for provider in ["apple.com", "google.com"] { _ = try await fixture.enableProvider(provider, in: tenant) }
        _ = try await fixture.enableProvider("apple.com", in: other)
        for provider in ["google.com", "apple.com"] {
            let path = "/v2/projects/demo/defaultSupportedIdpConfigs/\(provider)"
            #expect(try await fixture.send(.delete, path).status == 200)
        }
        let (appPath, mask) = ("/v2/projects/demo/apps/default", [(name: "updateMask", value: "signInMethods")])
        let refused = try await fixture.send(.patch, appPath, ["signInMethods": ["google.com", "password"]], mask)
        #expect(
            refused.outcome == "409 LOGIN_SERVICES_4_8 : app default in tenant \(tenant): it shows google.com "
                + "but not apple.com (APPLE_NOT_SHOWN)")
        #expect(
            try await fixture.gateway.signIn(fixture.gateway.googleCredential(), ["tenantId": .string(tenant)]).status
                == 200)
        let accepted = try await fixture.send(.patch, appPath, ["signInMethods": ["google.com", "apple.com"]], mask)
        #expect(accepted.status == 200)
        _ = try await fixture.gateway.database.pool.execute(
            "UPDATE app SET settings = jsonb_set(settings, '{signInMethods}', '[\"google.com\"]')")
        let findings = await DatabaseCheck(pool: fixture.gateway.database.pool, masterKeys: fixture.gateway.masterKeys)
            .findings(at: fixture.gateway.clock.now)
        let place = "project demo, tenant \(tenant), app default: LOGIN_SERVICES_4_8"
        #expect(findings.filter { !$0.isGood && $0.text.hasPrefix(place) }.count == 1)
        #expect(!findings.contains { !$0.isGood && $0.text.contains(other) })
    }

    @Test("The database check names the tenant of an invalid setting, and lists each problem of the project once")
    func invalidSettings() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.enableProvider("apple.com", in: tenant)
        let pool = fixture.gateway.database.pool
        let check = DatabaseCheck(pool: pool, masterKeys: fixture.gateway.masterKeys)
        func problems() async -> [String] {
            await check.findings(at: fixture.gateway.clock.now).map(\.text).filter { $0.contains("INVALID_CONFIG") }
        }
        let before = await problems()
        _ = try await pool.execute("UPDATE realm SET authorized_domains = '{not a domain}' WHERE id = 'demo'")
        _ = try await pool.execute(
            """
            UPDATE identity_provider SET settings = jsonb_set(settings, '{clientIds}', '[""]')
            WHERE realm_id LIKE 'demo/%'
            """)
        let added = await problems().filter { !before.contains($0) }
        #expect(added.count == 2)
        #expect(added.first?.hasPrefix("project demo: INVALID_CONFIG") == true)
        #expect(added.last?.hasPrefix("project demo, tenant \(tenant): INVALID_CONFIG") == true)
    }

    @Test(
        "A custom token and its request must name the same tenant",
        arguments: [
            (true, true, "200"), (true, false, "400 TENANT_ID_MISMATCH"), (false, true, "400 TENANT_ID_MISMATCH"),
        ])
    func customTokens(isInRequest: Bool, isInToken: Bool, outcome: String) async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let token = try fixture.serviceKey.customToken(at: fixture.gateway.clock.now) {
            $0["tenant_id"] = isInToken ? .string(tenant) : nil
        }
        let exchange = try await fixture.callAsClient(
            "signInWithCustomToken", in: isInRequest ? tenant : nil, ["token": .string(token)])
        #expect(exchange.outcome == outcome)
    }

    @Test("A code of a tenant is accepted only in this tenant, and the link with the code names the tenant")
    func codes() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.signUp(in: tenant)
        _ = try await fixture.signUp(in: nil)
        let made = try await fixture.administerAccounts(
            ":sendOobCode", of: tenant,
            ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true])
        // An administrator sends no API key, so the link has the project ID as its `apiKey`.
        let link = try #require(made.json["oobLink"]?.string)
        #expect(link.contains("&tenantId=\(tenant)") && link.contains("&apiKey=demo&"))
        let code: [String: JSON] = ["oobCode": try #require(made.json["oobCode"]), "newPassword": "battery staple"]
        #expect(try await fixture.callAsClient("resetPassword", in: nil, code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await fixture.callAsClient("resetPassword", in: tenant, code).status == 200)
        #expect(try await fixture.signIn(in: tenant, password: "battery staple").status == 200)
        #expect(try await fixture.signIn(in: nil, password: "secret1").status == 200)
    }

    /// The page that an emailed link opens knows only the code.
    @Test("A page that an emailed link opens finds the tenant by the code")
    func pages() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let (code, ada) = try await fixture.signUpAndSendVerificationCode(in: tenant)
        #expect(try await fixture.gateway.openActionPage(code).text.contains("Demo"))
        #expect(try await fixture.gateway.submitActionPage(code).text.contains("Your email address is confirmed"))
        #expect(try await fixture.gateway.accountSeenByUser(ada.idToken)["emailVerified"] == true)
    }

    @Test("After a tenant is deleted, its accounts are deleted and its audit trail expires")
    func removal() async throws {
        let fixture = try await TenantFixture()
        let (tenant, other) = (try await fixture.makeTenant(), try await fixture.makeTenant())
        for realm in [tenant, other, nil] { _ = try await fixture.signUp(in: realm) }
        // The empty operation creates an account.
        _ = try await fixture.administerAccounts("", of: tenant, ["localId": "bob"])
        _ = try await fixture.administerAccounts(":delete", of: tenant, ["localId": "bob"])
        _ = try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)")
        let janitor = Janitor(pool: fixture.gateway.database.pool)
        let removed = try await janitor.remove(.deletedRealm, at: fixture.gateway.clock.now)
        #expect(removed == 2, "Ada's account, and the tombstone (row for a deleted account) of Bob's")
        let realm = "demo/\(tenant)"
        let remainingRows = try await fixture.gateway.databaseDump().split(separator: "\n").filter {
            $0.contains(realm)
        }
        #expect(!remainingRows.contains { $0.contains("ada@example.com") }, "\(remainingRows)")
        #expect(
            try await fixture.gateway.database.pool.query("SELECT FROM account WHERE realm_id = \(realm)").isEmpty)
        let events = try await fixture.gateway.database.pool.query(
            "SELECT FROM outbox WHERE realm_id = \(realm) AND kind = 'account.deleted'")
        #expect(events.count == 2, "one event of Ada and one event of Bob")
        #expect(try await realms(of: fixture) == ["demo", realm, "demo/\(other)"].sorted())
        #expect(try await fixture.signIn(in: other).status == 200)
        // Audit events are kept for 400 days.
        fixture.gateway.clock.advance(by: .seconds(401 * 86_400))
        for kind in [Janitor.Kind.auditEvent, .deletedRealm] {
            _ = try await janitor.remove(kind, at: fixture.gateway.clock.now)
        }
        #expect(try await realms(of: fixture) == ["demo", "demo/\(other)"])
    }

    private func realms(of fixture: TenantFixture) async throws -> [String] {
        try await fixture.gateway.database.pool.query("SELECT id FROM realm").map { try $0.decode("id") }.sorted()
    }
}
