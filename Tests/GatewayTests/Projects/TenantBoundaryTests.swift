import HTTP
import Identity
import Providers
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("The boundary of a tenant")
struct TenantBoundaryTests {
    /// If the gateway ignored the tenant, the request would apply to the accounts of the project.
    @Test(
        "A request with a deleted tenant in the query is rejected",
        arguments: ["tenantId", "tenant_id"])
    func deletedTenant(name: String) async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: nil)
        _ = try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)")
        let query = [(name, tenant)]
        let body: JSON = ["localId": .string(ada.localId), "localIds": [.string(ada.localId)], "force": true]
        for path in ["/v1/accounts:delete", "/v1/projects/demo/accounts:batchDelete"] {
            let exchange = try await fixture.send(.post, path, body, query)
            #expect(exchange.outcome == "404 TENANT_NOT_FOUND", "\(path)")
        }
        for path in ["accounts:batchGet", "auditEvents", "accounts/\(ada.localId)/identities"] {
            let exchange = try await fixture.send(.get, "/v1/projects/demo/\(path)", nil, query)
            #expect(exchange.outcome == "404 TENANT_NOT_FOUND", "\(path)")
        }
        #expect(try await fixture.gateway.lookup(ada.idToken).status == 200)
    }

    @Test("A request with an unknown tenant in the body is rejected")
    func unknownTenantInBody() async throws {
        let fixture = try await TenantFixture()
        let ada = try await fixture.signUp(in: nil)
        let body: JSON = [
            "tenantId": "gone", "localId": .string(ada.localId), "localIds": [.string(ada.localId)], "force": true,
        ]
        for path in ["/v1/accounts:delete", "/v1/projects/demo/accounts:batchDelete"] {
            #expect(try await fixture.send(.post, path, body).outcome == "404 TENANT_NOT_FOUND", "\(path)")
        }
        let reset: JSON = ["tenantId": "gone", "requestType": "PASSWORD_RESET", "email": "ada@example.com"]
        let sent = try await fixture.send(.post, "/v1/projects/demo/accounts:sendOobCode", reset)
        #expect(sent.outcome == "404 TENANT_NOT_FOUND")
        let password: [String: JSON] = ["email": "ada@example.com", "password": "secret1"]
        for operation in ["signInWithPassword", "signUp"] {
            let exchange = try await fixture.callAsClient(operation, in: "gone", password)
            #expect(exchange.outcome == "400 INVALID_TENANT_ID")
        }
        #expect(try await fixture.gateway.lookup(ada.idToken).status == 200)
    }

    @Test("The tenant ID in the query can be in snake_case")
    func snakeCase() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: tenant)
        let found = try await fixture.send(
            .get, "/v1/projects/demo/accounts:batchGet", nil, [("tenant_id", tenant)])
        #expect(found.json["users"]?.elements.map { $0["localId"] } == [.string(ada.localId)])
        let projectOfClient = try await fixture.gateway.send(
            .get, "/v1/projects", body: [], query: [("key", TestGateway.apiKey), ("tenant_id", tenant)])
        #expect(projectOfClient.outcome == "400 UNSUPPORTED_TENANT_OPERATION")
    }

    @Test("A tenant ID with appended characters is rejected", arguments: ["/b", "\0", " ", "é"])
    func appendedCharacters(suffix: String) async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant() + suffix
        let loginMethods = try await fixture.gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey), ("tenantId", tenant)])
        #expect(loginMethods.outcome == "400 INVALID_TENANT_ID")
        let found = try await fixture.send(.get, "/v1/projects/demo/accounts:batchGet", nil, [("tenantId", tenant)])
        #expect(found.outcome == "404 TENANT_NOT_FOUND")
    }

    /// The paths name no tenant. If the gateway ignored the tenant ID in the query, it would change the project.
    @Test("Requests for the project's configuration that name a tenant in the query are rejected")
    func configuration() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let requests: [(HTTP.Method, String)] = [
            (.delete, "defaultSupportedIdpConfigs/google.com"), (.get, "defaultSupportedIdpConfigs"),
            (.patch, "config"), (.delete, "apps/default"), (.delete, "tenants/\(tenant)"),
        ]
        for (method, path) in requests {
            let exchange = try await fixture.send(
                method, "/v2/projects/demo/\(path)", method == .patch ? [:] : nil, [("tenantId", tenant)])
            #expect(exchange.outcome == "400 UNSUPPORTED_TENANT_OPERATION", "\(path)")
        }
        let tenantsProviders = try await fixture.send(
            .get, "\(TenantFixture.tenantsPath)/\(tenant)/defaultSupportedIdpConfigs", nil, [("tenantId", tenant)])
        #expect(tenantsProviders.status == 200)
    }

    @Test("The configuration of a deleted tenant cannot be changed or read")
    func configurationOfDeletedTenant() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let realm = ID<Realm>(ID<Tenant>(tenant), of: ID("demo"))
        let store = ConfigurationStore(
            pool: fixture.gateway.database.pool, rules: .live(supporting: .live), secrets: .unavailable,
            clock: fixture.gateway.clock.wallClock)
        #expect(try await store.edit(realm, by: .commandLine, allowing: []) { _ in } != nil)
        _ = try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)")
        #expect(try await store.edit(realm, by: .commandLine, allowing: []) { _ in } == nil)
        #expect(try await store.configuration(of: realm) == nil)
    }

    @Test("The action page rejects codes of a tenant while the tenant is disabled, and accepts them afterwards")
    func disabledPages() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        let (code, ada) = try await fixture.signUpAndSendVerificationCode(in: tenant)
        let (path, disableAuthMask) = (
            "\(TenantFixture.tenantsPath)/\(tenant)", [(name: "updateMask", value: "disableAuth")]
        )
        _ = try await fixture.send(.patch, path, ["disableAuth": true], disableAuthMask)
        for page in [try await fixture.gateway.openActionPage(code), try await fixture.gateway.submitActionPage(code)] {
            #expect(page.status == 400)
            #expect(page.text.contains("This is not available"))
        }
        _ = try await fixture.send(.patch, path, ["disableAuth": false], disableAuthMask)
        #expect(try await fixture.gateway.accountSeenByUser(ada.idToken)["emailVerified"] == false)
        #expect(try await fixture.gateway.submitActionPage(code).text.contains("Your email address is confirmed"))
    }

    /// Tenants share the project's apps, so a token for one tenant has the audience of all tenants.
    @Test("An Apple credential is accepted in only one tenant")
    func credentialInTwoTenants() async throws {
        let fixture = try await TenantFixture()
        let tenants = [try await fixture.makeTenant(), try await fixture.makeTenant()]
        for tenant in tenants {
            #expect(try await fixture.enableProvider("apple.com", in: tenant).status == 200)
        }
        let credential = try fixture.gateway.appleCredential()
        let signedIn = try await fixture.gateway.signIn(credential, ["tenantId": .string(tenants[0])])
        #expect(signedIn.outcome == "200")
        for realm in [tenants[0], tenants[1], nil] {
            let again = try await fixture.gateway.signIn(credential, realm.map { ["tenantId": .string($0)] } ?? [:])
            #expect(again.text.contains("Duplicate credential received"), "\(again.outcome)")
        }
        let fresh = try await fixture.gateway.signIn(
            fixture.gateway.appleCredential(), ["tenantId": .string(tenants[1])])
        #expect(fresh.json["isNewUser"] == true)
    }

    @Test("The rate limits of a client network and of an email address apply to all tenants together")
    func limits() async throws {
        let gateway = try await TestGateway(limitsRates: true) { policy in
            policy.emailEnumerationProtection = false
            (policy.passwordFailureLimit, policy.signUpLimit, policy.emailLimit) = (1, 3, 2)
        }
        let fixture = try await TenantFixture(gateway)
        var tenants: [String] = []
        for _ in 0..<12 { tenants.append(try await fixture.makeTenant()) }
        let tooMany = LimitedGateway.tooManyAttempts
        let emailLink: [String: JSON] = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
        let outcomes = try await tenants.prefix(3).asyncMap {
            try await fixture.callAsClient("sendOobCode", in: $0, emailLink).outcome
        }
        #expect(outcomes == ["200", "200", tooMany])
        let signUps = try await tenants.prefix(4).asyncMap {
            try await fixture.callAsClient("signUp", in: $0, [:]).outcome
        }
        #expect(signUps == ["200", "200", "200", tooMany])
        let failures = try await tenants.asyncMap { try await fixture.signIn(in: $0).outcome }
        // The limit of a network is ten times the limit of one email address.
        #expect(failures == Array(repeating: "400 EMAIL_NOT_FOUND", count: 10) + [tooMany, tooMany])
    }

    @Test("A tenant cannot have a service key")
    func keys() async throws {
        let fixture = try await TenantFixture()
        let realm = "demo/\(try await fixture.makeTenant())"
        let draft = ServiceKeyStore.Draft(
            id: "tenants", name: "Tenant", secretHash: [UInt8](repeating: 1, count: 32), publicKey: "",
            scopes: .all, expiresAt: nil)
        let isCreated = try await ServiceKeyStore(pool: fixture.gateway.database.pool)
            .create(draft, in: ID(realm), at: fixture.gateway.clock.now)
        #expect(!isCreated)
    }
}
