import HTTP
import Identity
import Testing

@testable import Support

@Suite("Tenants of a project")
struct TenantTests {
    private static let off: JSON = ["state": "DISABLED", "enabledProviders": []]

    @Test("begin with everything off")
    func defaults() async throws {
        let house = try await TenantFixture()
        let made = try await house.send(.post, TenantFixture.tenants, ["displayName": "Acme"])
        let id = try #require(made.json["tenantId"]?.string)
        #expect(id.count == 28)
        #expect(
            made.json == [
                "name": .string("projects/demo/tenants/\(id)"), "tenantId": .string(id), "displayName": "Acme",
                "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false,
                "disableAuth": false, "mfaConfig": Self.off,
            ])
        #expect(try await house.send(.get, "\(TenantFixture.tenants)/\(id)").json == made.json)
    }

    @Test("change where the mask says, or all over")
    func update() async throws {
        let house = try await TenantFixture()
        let path = "\(TenantFixture.tenants)/\(try await house.tenant())"
        let masked = try await house.send(
            .patch, path, ["displayName": "Zen", "disableAuth": true, "allowPasswordSignup": false],
            [("updateMask", "displayName,disableAuth")])
        #expect(masked.json["displayName"] == "Zen")
        #expect(masked.json["disableAuth"] == true)
        #expect(masked.json["allowPasswordSignup"] == true)
        let whole = try await house.send(.patch, path, ["enableAnonymousUser": true])
        #expect(whole.json["displayName"] == nil)
        #expect(whole.json["allowPasswordSignup"] == false)
        #expect(whole.json["disableAuth"] == false)
        #expect(whole.json["enableAnonymousUser"] == true)
        #expect(try await house.send(.get, path).json == whole.json)
    }

    @Test("are listed page by page, by id, and only the project's own")
    func list() async throws {
        let house = try await TenantFixture()
        #expect(try await house.send(.get, TenantFixture.tenants).json == ["tenants": []])
        var ids: [String] = []
        for _ in 0..<5 { ids.append(try await house.tenant()) }
        try await house.gateway.makeOtherProject("other", serviceKey: "sks_other")
        var (found, token): ([String], String?) = ([], nil)
        repeat {
            let query = [("pageSize", "2")] + (token.map { [("pageToken", $0)] } ?? [])
            let page = try await house.send(.get, TenantFixture.tenants, nil, query).json
            found += page["tenants"]?.elements.compactMap { $0["tenantId"]?.string } ?? []
            token = page["nextPageToken"]?.string
        } while token != nil
        #expect(found == ids.sorted())
    }

    @Test("are gone at once when they are deleted, for everybody")
    func delete() async throws {
        let house = try await TenantFixture()
        let id = try await house.tenant()
        let ada = try await house.signUp(in: id)
        #expect(try await house.send(.delete, "\(TenantFixture.tenants)/\(id)").json == [:])
        for (method, path) in [(HTTP.Method.get, ""), (.patch, ""), (.delete, ""), (.get, "/oauthIdpConfigs")] {
            let body: JSON? = method == .patch ? [:] : nil
            #expect(
                try await house.send(method, "\(TenantFixture.tenants)/\(id)\(path)", body).outcome
                    == "404 TENANT_NOT_FOUND")
        }
        #expect(try await house.accounts(":lookup", of: id).outcome == "404 TENANT_NOT_FOUND")
        #expect(try await house.signIn(in: id).outcome == "400 INVALID_TENANT_ID")
        #expect(try await house.send(.get, TenantFixture.tenants).json == ["tenants": []])
        let other = try await house.tenant()
        #expect(try await house.signIn(in: other).outcome == "400 EMAIL_NOT_FOUND")
        for exchange in [
            try await house.gateway.lookup(ada.idToken), try await house.gateway.refresh(ada.refreshToken),
        ] {
            #expect(exchange.outcome == "400 INVALID_TENANT_ID")
        }
    }

    @Test(
        "are refused for",
        arguments: [
            (
                ["displayName": .string(String(repeating: "a", count: 257))],
                "400 Invalid JSON payload received. /displayName must not be longer than 256 characters"
            ),
            (
                ["displayName": "a\nb"],
                "400 Invalid JSON payload received. /displayName must not contain control characters"
            ),
            (["mfaConfig": ["state": "ENABLED"]], "501 mfaConfig is not implemented."),
            (["disableAuth": "yes"], "400 Invalid JSON payload received. /disableAuth must be boolean"),
        ] as [(JSON, String)])
    func refusals(input: JSON, outcome: String) async throws {
        let house = try await TenantFixture()
        #expect(try await house.send(.post, TenantFixture.tenants, input).outcome == outcome)
        let path = "\(TenantFixture.tenants)/\(try await house.tenant())"
        #expect(try await house.send(.patch, path, input).outcome == outcome)
        #expect(try await house.send(.get, path).json["displayName"] == "Acme")
    }

    @Test("are not found by another project's key, nor as projects")
    func otherProjects() async throws {
        let house = try await TenantFixture()
        let id = try await house.tenant()
        try await house.gateway.makeOtherProject("other", serviceKey: "sks_other")
        for path in ["/v2/projects/demo/tenants/\(id)", "/v1/projects/demo/tenants/\(id)/accounts:batchGet"] {
            let exchange = try await house.gateway.send(
                .get, path, body: [], query: [], headers: ["Authorization": "Bearer sks_other"])
            #expect(exchange.status == 403)
        }
        for path in ["/v2/projects/other/tenants/\(id)", "/v1/projects/other/tenants/\(id)/accounts:batchGet"] {
            let exchange = try await house.gateway.send(
                .get, path, body: [], query: [], headers: ["Authorization": "Bearer sks_other"])
            #expect(exchange.outcome == "404 TENANT_NOT_FOUND")
        }
        for path in [
            "/v1/projects/demo%2F\(id)/accounts:batchGet", "/demo%2F\(id)/.well-known/jwks.json",
            "/v2/projects/demo/tenants/..%2F..%2Fdemo", "/v2/projects/demo/tenants/\(id)%2F\(id)",
        ] {
            #expect([403, 404].contains(try await house.send(.get, path).status), "\(path)")
        }
    }

    @Test("leave a line in the project's audit trail for every change")
    func audit() async throws {
        let house = try await TenantFixture()
        let id = try await house.tenant()
        let path = "\(TenantFixture.tenants)/\(id)"
        for _ in 0..<2 {
            house.gateway.clock.advance(by: .seconds(1))
            _ = try await house.send(.patch, path, ["disableAuth": true], [("updateMask", "disableAuth")])
        }
        house.gateway.clock.advance(by: .seconds(1))
        _ = try await house.send(.delete, path)
        let trail = try await house.send(.get, "/v1/projects/demo/auditEvents", nil, [("subject", id)]).json
        #expect(
            trail["auditEvents"]?.elements.map { $0["action"] } == [
                "tenant.removed", "tenant.changed", "tenant.added",
            ])
        #expect(trail["auditEvents"]?[1]?["detail"]?["members"] == "isDisabled")
    }
}
