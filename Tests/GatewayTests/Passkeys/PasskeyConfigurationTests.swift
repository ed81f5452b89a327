import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Configuration of passkeys")
struct PasskeyConfigurationTests {
    @Test("The RP ID is the gateway's host by default, and stays when passkeys are turned off and on")
    func defaultRPID() async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.database.pool.execute("UPDATE realm SET passkey_settings = '{}'")
        let configurator = Configurator(
            gateway: try gateway.withFreshCaches(), serviceKey: try await ServiceKey(in: gateway))
        for enabled in [true, false, true] {
            let changed = try await configurator.send(.patch, "config", ["passkeys": ["enabled": .bool(enabled)]])
            #expect(changed.json["passkeys"]?["enabled"] == .bool(enabled), "\(changed.text)")
            #expect(changed.json["passkeys"]?["rpId"] == "auth.example.com")
        }
        let unmasked = try await configurator.send(.patch, "config", ["signIn": [:]])
        #expect(unmasked.json["passkeys"]?["enabled"] == true)
    }

    @Test(
        "Invalid settings are rejected",
        arguments: [
            ["rpId": "Example.com"], ["rpId": "com"], ["rpId": "example.com:443"], ["rpId": "https://example.com"],
            ["rpId": "localhost"], ["rpId": "app.localhost"],
            ["origins": ["https://example.com/"]], ["origins": ["http://example.com"]],
            ["origins": ["https://other.net"]], ["origins": ["https://a.example.com", "https://a.example.com"]],
            ["origins": ["https://notexample.com"]],
            ["relatedOrigins": .array((1...6).map { .string("https://\($0).example.net") })],
            ["topOrigins": ["example.com"]],
        ] as [[String: JSON]])
    func invalid(settings: [String: JSON]) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let rejected = try await configurator.send(.patch, "config", ["passkeys": .object(settings)])
        #expect(rejected.wireCode == "INVALID_CONFIG", "\(rejected.text)")
    }

    @Test("An RP ID belongs to one project")
    func otherProject() async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.makeOtherProject()
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET passkey_settings = '{\"rpId\": \"taken.example.com\"}' WHERE id <> 'demo'")
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let rejected = try await configurator.send(.patch, "config", ["passkeys": ["rpId": "taken.example.com"]])
        #expect(rejected.status == 409)
        #expect(rejected.wireCode == "RP_ID_IN_USE", "\(rejected.text)")
    }

    @Test("The RP ID stays while the project or a tenant has passkeys of it", arguments: ["demo", "demo/acme"])
    func usedRPID(realm: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        _ = try await gateway.enrolPasskey(try await gateway.signUpAnonymously())
        try await gateway.movePasskeys(to: realm)
        for enabled in [true, false] {
            let rejected = try await configurator.send(
                .patch, "config", ["passkeys": ["enabled": .bool(enabled), "rpId": "new.example.com"]])
            #expect(rejected.status == 409)
            #expect(rejected.wireCode == "RP_ID_IN_USE", "\(rejected.text)")
            #expect(rejected.text.contains("The project has passkeys of the RP ID example.com"), "\(rejected.text)")
        }
        let same = try await configurator.send(
            .patch, "config", ["passkeys": ["rpId": "example.com", "origins": ["https://a.example.com"]]])
        #expect(same.outcome == "200", "\(same.text)")
        _ = try await gateway.database.pool.execute("DELETE FROM passkey")
        let changed = try await configurator.send(
            .patch, "config", ["passkeys": ["rpId": "new.example.com", "origins": []]])
        #expect(changed.json["passkeys"]?["rpId"] == "new.example.com", "\(changed.text)")
    }

    @Test("A project gets no RP ID of which another project or a tenant has passkeys", arguments: ["other", "other/a"])
    func foreignPasskeys(realm: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.makeOtherProject()
        _ = try await gateway.enrolPasskey(try await gateway.signUpAnonymously())
        try await gateway.movePasskeys(to: realm)
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET passkey_settings = '{\"rpId\": \"first.example.com\"}' WHERE id = 'demo'")
        let fresh = try gateway.withFreshCaches()
        let configurator = Configurator(gateway: fresh, serviceKey: try await ServiceKey(in: gateway))
        let rejected = try await configurator.send(.patch, "config", ["passkeys": ["rpId": "example.com"]])
        #expect(rejected.status == 409)
        #expect(rejected.wireCode == "RP_ID_IN_USE", "\(rejected.text)")
        #expect(rejected.text.contains("Another project has passkeys of the RP ID example.com"), "\(rejected.text)")
    }

    @Test("Of two projects that set the same RP ID at the same time, the second is rejected")
    func concurrentProjects() async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.makeOtherProject()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let second = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute(
                "UPDATE realm SET passkey_settings = '{\"rpId\": \"taken.example.com\"}' WHERE id <> 'demo'")
            let second = Task {
                try await configurator.send(.patch, "config", ["passkeys": ["rpId": "taken.example.com"]])
            }
            // The second change now waits for this transaction.
            try await Task.sleep(for: .milliseconds(300))
            return second
        }
        let rejected = try await second.value
        #expect(rejected.status == 409)
        #expect(rejected.wireCode == "RP_ID_IN_USE", "\(rejected.text)")
    }

    @Test("A change needs the scope trust")
    func trust() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(
            gateway: gateway, serviceKey: try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.config])))
        let rejected = try await configurator.send(
            .patch, "config", ["passkeys": ["origins": ["https://a.example.com"]]])
        #expect(rejected.wireCode == "PERMISSION_DENIED", "\(rejected.text)")
    }

    @Test("The RP ID's host publishes the related origins, and that it has passkeys")
    func documents() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let changed = try await configurator.send(
            .patch, "config", ["passkeys": ["relatedOrigins": ["https://shop.example.net"]]])
        #expect(changed.outcome == "200", "\(changed.text)")
        let origins = try await gateway.document("webauthn", host: "example.com")
        #expect(origins.json == ["origins": ["https://shop.example.net"]])
        #expect(origins.headers["Content-Type"] == "application/json")
        #expect(try await gateway.document("passkey-endpoints", host: "example.com:8080").json == [:])
        #expect(try await gateway.document("webauthn", host: "auth.example.com").status == 404)
    }
}

extension TestGateway {
    /// Assigns all passkeys to a new account of `realm`, which is created if it is a tenant.
    fileprivate func movePasskeys(to realm: String) async throws {
        _ = try await database.pool.execute(
            """
            INSERT INTO realm (id, parent_id, name, profile, tenant_settings, created_at)
            SELECT \(realm), p.id, 'Tenant', p.profile, '{}', now()
            FROM realm p WHERE p.id = split_part(\(realm), '/', 1) AND p.id <> \(realm)
            """)
        _ = try await database.pool.execute(
            """
            INSERT INTO account (realm_id, id, created_at, valid_since) VALUES (\(realm), 'holder', now(), now())
            """)
        _ = try await database.pool.execute("UPDATE passkey SET realm_id = \(realm), account_id = 'holder'")
    }

    fileprivate func document(_ name: String, host: String) async throws -> Exchange {
        try await send(.get, "/.well-known/\(name)", body: [], query: [], headers: ["Host": host])
    }
}
