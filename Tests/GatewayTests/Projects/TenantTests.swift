import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Tenants of a project")
struct TenantTests {
    private static let mfaOff: JSON = ["state": "DISABLED", "enabledProviders": []]

    @Test("A new tenant has every sign-in method disabled")
    func newTenant() async throws {
        let fixture = try await TenantFixture()
        let made = try await fixture.send(.post, TenantFixture.tenantsPath, ["displayName": "Acme"])
        let id = try #require(made.json["tenantId"]?.string)
        #expect(id.count == 28)
        #expect(
            made.json == [
                "name": .string("projects/demo/tenants/\(id)"), "tenantId": .string(id), "displayName": "Acme",
                "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false,
                "disableAuth": false, "mfaConfig": Self.mfaOff,
                "recaptchaConfig": ["emailPasswordEnforcementState": "OFF", "phoneEnforcementState": "OFF"],
                "smsRegionConfig": [:],
            ])
        #expect(try await fixture.send(.get, "\(TenantFixture.tenantsPath)/\(id)").json == made.json)
    }

    @Test("A change applies to the members that the mask names, or without a mask to all members")
    func update() async throws {
        let fixture = try await TenantFixture()
        let path = "\(TenantFixture.tenantsPath)/\(try await fixture.makeTenant())"
        let masked = try await fixture.send(
            .patch, path, ["displayName": "Zen", "disableAuth": true, "allowPasswordSignup": false],
            [("updateMask", "displayName,disableAuth")])
        #expect(masked.json["displayName"] == "Zen")
        #expect(masked.json["disableAuth"] == true)
        #expect(masked.json["allowPasswordSignup"] == true)
        let withoutMask = try await fixture.send(.patch, path, ["enableAnonymousUser": true])
        #expect(withoutMask.json["displayName"] == nil)
        #expect(withoutMask.json["allowPasswordSignup"] == false)
        #expect(withoutMask.json["disableAuth"] == false)
        #expect(withoutMask.json["enableAnonymousUser"] == true)
        #expect(try await fixture.send(.get, path).json == withoutMask.json)
    }

    @Test("A mask in snake_case does not reset other members")
    func snakeCase() async throws {
        let fixture = try await TenantFixture()
        let path = "\(TenantFixture.tenantsPath)/\(try await fixture.makeTenant())"
        let changed = try await fixture.send(.patch, path, ["displayName": "Zen"], [("update_mask", "display_name")])
        #expect(changed.json["displayName"] == "Zen")
        #expect(changed.json["allowPasswordSignup"] == true)
    }

    @Test("Tenants are listed in pages, ordered by ID")
    func list() async throws {
        let fixture = try await TenantFixture()
        #expect(try await fixture.send(.get, TenantFixture.tenantsPath).json == ["tenants": []])
        var ids: [String] = []
        for _ in 0..<5 { ids.append(try await fixture.makeTenant()) }
        try await fixture.gateway.makeOtherProject(serviceKey: "sks_other")
        var (found, token): ([String], String?) = ([], nil)
        repeat {
            let query = [("pageSize", "2")] + (token.map { [("pageToken", $0)] } ?? [])
            let page = try await fixture.send(.get, TenantFixture.tenantsPath, nil, query).json
            found += page["tenants"]?.elements.compactMap { $0["tenantId"]?.string } ?? []
            token = page["nextPageToken"]?.string
        } while token != nil
        #expect(found == ids.sorted())
    }

    @Test("A deleted tenant is inaccessible at once")
    func delete() async throws {
        let fixture = try await TenantFixture()
        let id = try await fixture.makeTenant()
        let ada = try await fixture.signUp(in: id)
        #expect(try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(id)").json == [:])
        for (method, path) in [(HTTP.Method.get, ""), (.patch, ""), (.delete, ""), (.get, "/oauthIdpConfigs")] {
            let body: JSON? = method == .patch ? [:] : nil
            #expect(
                try await fixture.send(method, "\(TenantFixture.tenantsPath)/\(id)\(path)", body).outcome
                    == "404 TENANT_NOT_FOUND")
        }
        #expect(try await fixture.administerAccounts(":lookup", of: id).outcome == "404 TENANT_NOT_FOUND")
        #expect(try await fixture.signIn(in: id).outcome == "400 INVALID_TENANT_ID")
        #expect(try await fixture.send(.get, TenantFixture.tenantsPath).json == ["tenants": []])
        let other = try await fixture.makeTenant()
        #expect(try await fixture.signIn(in: other).outcome == "400 EMAIL_NOT_FOUND")
        for exchange in [
            try await fixture.gateway.lookup(ada.idToken), try await fixture.gateway.refresh(ada.refreshToken),
        ] {
            #expect(exchange.outcome == "400 INVALID_TENANT_ID")
        }
    }

    @Test("No tenant is created in a project that was deleted while its configuration is still cached")
    func deletedProject() async throws {
        let fixture = try await TenantFixture()
        #expect(try await fixture.send(.get, TenantFixture.tenantsPath).outcome == "200")
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM realm WHERE id = 'demo'")
        #expect(
            try await fixture.send(.post, TenantFixture.tenantsPath, ["displayName": "Acme"]).outcome
                == "404 NOT_FOUND : The project does not exist.")
    }

    @Test(
        "Tenants with invalid members are rejected",
        arguments: [
            (
                ["displayName": .string(String(repeating: "a", count: 257))],
                "400 Invalid JSON payload received. /displayName must not be longer than 256 characters"
            ),
            (
                ["displayName": "a\nb"],
                "400 Invalid JSON payload received. /displayName must not contain control characters"
            ),
            (
                ["mfaConfig": ["providerConfigs": [["state": "ENABLED"]]]],
                "400 Invalid JSON payload received. /mfaConfig/providerConfigs/0/totpProviderConfig must be present"
            ),
            (
                [
                    "mfaConfig": [
                        "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 11]]]
                    ]
                ],
                "400 Invalid JSON payload received. /mfaConfig/providerConfigs/0/totpProviderConfig/adjacentIntervals must be 0 to 10"
            ),
            (["disableAuth": "yes"], "400 Invalid JSON payload received. /disableAuth must be a boolean"),
        ] as [(JSON, String)])
    func refusals(input: JSON, outcome: String) async throws {
        let fixture = try await TenantFixture()
        #expect(try await fixture.send(.post, TenantFixture.tenantsPath, input).outcome == outcome)
        let path = "\(TenantFixture.tenantsPath)/\(try await fixture.makeTenant())"
        #expect(try await fixture.send(.patch, path, input).outcome == outcome)
        #expect(try await fixture.send(.get, path).json["displayName"] == "Acme")
    }

    @Test("Tenants are inaccessible to another project's service key, under another project's path, and as projects")
    func otherProjects() async throws {
        let fixture = try await TenantFixture()
        let id = try await fixture.makeTenant()
        try await fixture.gateway.makeOtherProject(serviceKey: "sks_other")
        for path in ["/v2/projects/demo/tenants/\(id)", "/v1/projects/demo/tenants/\(id)/accounts:batchGet"] {
            let exchange = try await fixture.gateway.send(
                .get, path, body: [], query: [], headers: ["Authorization": "Bearer sks_other"])
            #expect(exchange.status == 403)
        }
        for path in ["/v2/projects/other/tenants/\(id)", "/v1/projects/other/tenants/\(id)/accounts:batchGet"] {
            let exchange = try await fixture.gateway.send(
                .get, path, body: [], query: [], headers: ["Authorization": "Bearer sks_other"])
            #expect(exchange.outcome == "404 TENANT_NOT_FOUND")
        }
        for path in [
            "/v1/projects/demo%2F\(id)/accounts:batchGet", "/demo%2F\(id)/.well-known/jwks.json",
            "/v2/projects/demo/tenants/..%2F..%2Fdemo", "/v2/projects/demo/tenants/\(id)%2F\(id)",
        ] {
            #expect([403, 404].contains(try await fixture.send(.get, path).status), "\(path)")
        }
    }

    @Test("Each effective change of a tenant has an audit event")
    func audit() async throws {
        let fixture = try await TenantFixture()
        let id = try await fixture.makeTenant()
        let path = "\(TenantFixture.tenantsPath)/\(id)"
        // Only the first of two equal updates changes the tenant.
        for _ in 0..<2 {
            fixture.gateway.clock.advance(by: .seconds(1))
            _ = try await fixture.send(.patch, path, ["disableAuth": true], [("updateMask", "disableAuth")])
        }
        fixture.gateway.clock.advance(by: .seconds(1))
        _ = try await fixture.send(.delete, path)
        let trail = try await fixture.send(.get, "/v1/projects/demo/auditEvents", nil, [("subject", id)]).json
        #expect(
            trail["auditEvents"]?.elements.map { $0["action"] } == [
                "tenant.removed", "tenant.changed", "tenant.added",
            ])
        #expect(trail["auditEvents"]?[1]?["detail"]?["members"] == "isDisabled")
    }
}
