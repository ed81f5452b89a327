import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("Event endpoints and the feed")
struct EventEndpointTests {
    @Test("An administrator creates, changes and deletes an endpoint; the secret is shown once")
    func administration() async throws {
        let fixture = try await EventFixture()
        let created = try await fixture.endpoint()
        #expect(created["url"]?.string == EventFixture.url)
        #expect(created["state"] == "active")
        #expect(created["secret"] == nil)
        let list = try await fixture.configurator.send(.get, "eventEndpoints").json
        #expect(list == ["eventEndpoints": [created]])
        let again = try await fixture.configurator.send(.post, "eventEndpoints", ["eventEndpointId": "backend"])
        #expect(again.outcome == "409 CONFIGURATION_EXISTS")
        let changed = try await fixture.configurator.send(
            .patch, "eventEndpoints/backend", ["kinds": ["account.deleted"]], mask: "kinds")
        #expect(changed.json["kinds"] == ["account.deleted"])
        #expect(changed.json["url"]?.string == EventFixture.url)
        #expect(try await fixture.configurator.send(.delete, "eventEndpoints/backend").status == 204)
        #expect(try await fixture.configurator.send(.get, "eventEndpoints/backend").status == 404)
        for suffix in [":enable", ":test", ":replay", ":rotateSecret"] {
            let missing = try await fixture.configurator.send(.post, "eventEndpoints/backend\(suffix)", [:])
            #expect(missing.outcome == "404 CONFIGURATION_NOT_FOUND", "\(suffix)")
        }
        let stored = try await fixture.gateway.database.pool.query("SELECT event_kinds FROM realm")
        #expect(try stored[0].decode("event_kinds", as: [String].self).isEmpty)
    }

    @Test("The secret is stored encrypted, and re-encrypted under a new master key")
    func secrets() async throws {
        let fixture = try await EventFixture()
        let rows = try await fixture.gateway.database.pool.query("SELECT secret FROM event_endpoint")
        let stored: [UInt8] = try rows[0].decode("secret")
        #expect(!String(decoding: stored, as: UTF8.self).contains("whsec"))
        #expect(
            try await fixture.gateway.database.pool.query("SELECT detail::text AS t FROM audit_event").allSatisfy {
                try !$0.decode("t", as: String.self).contains("whsec")
            })
    }

    @Test(
        "Only https URLs without user and fragment are accepted",
        arguments: [
            "http://backend.example.com/", "http://127.0.0.1:1/", "ftp://backend.example.com/", "https://",
            "https:///x",
            "https://user@backend.example.com/", "https://backend.example.com/#fragment", "backend.example.com",
            "https://backend.example.com\\@other.example.com/", "https://backend.example.com/ x",
            "https://\(String(repeating: "a", count: 2048))/",
        ])
    func urls(url: String) async throws {
        let fixture = try await EventFixture()
        let created = try await fixture.configurator.send(
            .post, "eventEndpoints", ["eventEndpointId": "other", "url": .string(url)])
        #expect(created.outcome.hasPrefix("400 INVALID_ARGUMENT"), "\(created.outcome)")
    }

    @Test(
        "Without the scope trust, a URL has no path and no query, which can contain a token",
        arguments: [
            ("https://hooks.example.com/T0/SECRET?key=SECRET", "https://hooks.example.com/…"),
            ("https://hooks.example.com?key=SECRET", "https://hooks.example.com/…"),
            ("https://hooks.example.com:8443/SECRET", "https://hooks.example.com:8443/…"),
        ])
    func abbreviatedURLs(url: String, expected: String) async throws {
        let fixture = try await EventFixture()
        let created = try await fixture.configurator.send(
            .post, "eventEndpoints", ["eventEndpointId": "other", "url": .string(url)])
        #expect(created.json["url"]?.string == url, "\(created.text)")
        for scope in [ServiceKeyScope.readConfig, .config] {
            let key = try await ServiceKey(
                id: scope.rawValue, in: fixture.gateway, scopes: ServiceKeyScopes([scope, .readUsers]))
            let limited = Configurator(gateway: fixture.gateway, serviceKey: key)
            for path in ["", "/other"] {
                let read = try await limited.send(.get, "eventEndpoints\(path)")
                #expect(read.status == 200 && !read.text.contains("SECRET"), "\(read.text)")
            }
            #expect(try await limited.send(.get, "eventEndpoints/other").json["url"]?.string == expected)
            #expect(!(try await limited.send(.post, "eventEndpoints/other:enable", [:])).text.contains("SECRET"))
        }
        let full = try await fixture.configurator.send(.get, "eventEndpoints/other")
        #expect(full.json["url"]?.string == url)
    }

    @Test("Where events go needs the scope trust, and the feed the scope events.read")
    func scopes() async throws {
        let fixture = try await EventFixture()
        let key = try await ServiceKey(
            id: "limited", in: fixture.gateway, scopes: ServiceKeyScopes([.config, .readUsers, .readAudit]))
        let limited = Configurator(gateway: fixture.gateway, serviceKey: key)
        let create = try await limited.send(
            .post, "eventEndpoints", ["eventEndpointId": "other", "url": "https://evil.example.com/"])
        #expect(create.wireCode == "PERMISSION_DENIED")
        for (method, path) in [(HTTP.Method.patch, ""), (.delete, ""), (.post, ":rotateSecret")] {
            let response = try await limited.send(method, "eventEndpoints/backend\(path)", [:])
            #expect(response.wireCode == "PERMISSION_DENIED", "\(method) \(path)")
        }
        #expect(try await limited.send(.get, "eventEndpoints").status == 200)
        let feed = try await fixture.gateway.send(.get, "/v1/projects/demo/events", nil, by: key)
        #expect(feed.wireCode == "PERMISSION_DENIED")
    }

    @Test("An event has the profile as it is at the delivery, and none if the account was deleted")
    func profile() async throws {
        let fixture = try await EventFixture()
        let key = fixture.configurator.serviceKey
        let changed = try await fixture.configurator.send(
            .patch, "eventEndpoints/backend", ["include": ["profile"]])
        #expect(changed.json["include"] == ["profile"], "\(changed.text)")
        let created = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts", ["localId": "ada", "email": "ada@example.com"], by: key)
        #expect(created.status == 200)
        let updated = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts:update", ["localId": "ada", "displayName": "Ada"], by: key)
        #expect(updated.status == 200, "\(updated.text)")
        try await fixture.createAccounts("bob")
        let deleted = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts:delete", ["localId": "bob"], by: key)
        #expect(deleted.status == 200)
        try await fixture.dispatch()
        let found = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts:lookup", ["localId": ["ada"]], by: key)
        // The events of a wave are sent at the same time.
        let events = fixture.server.requests.map(\.json)
            .sorted { ($0["sequence"]?.integer ?? 0) < ($1["sequence"]?.integer ?? 0) }
        #expect(events.map { $0["data"]?["localId"] } == ["ada", "ada", "bob", "bob"])
        #expect(events[0]["data"]?["profile"] == found.json["users"]?[0], "both have the name of the update")
        #expect(events[0]["data"]?["profile"]?["displayName"] == "Ada")
        #expect(
            events[2...].allSatisfy { $0["data"]?["profile"] == nil }, "the account was deleted before the delivery")
        #expect(try await fixture.events("after=0").json["events"]?[0]?["data"]?["profile"] == nil)
        _ = try await fixture.configurator.send(.patch, "eventEndpoints/backend", ["include": []])
        try await fixture.createAccounts("eve")
        try await fixture.dispatch()
        #expect(fixture.server.requests.last?.json["data"]?["profile"] == nil)
        let unknown = try await fixture.configurator.send(
            .patch, "eventEndpoints/backend", ["include": ["password"]])
        #expect(unknown.outcome.hasPrefix("400 INVALID_ARGUMENT"))
    }

    @Test("To include profiles, or to change the URL of an endpoint that gets them, needs users.read")
    func profileScopes() async throws {
        let fixture = try await EventFixture()
        let key = try await ServiceKey(
            id: "limited", in: fixture.gateway, scopes: ServiceKeyScopes([.config, .trust]))
        let limited = Configurator(gateway: fixture.gateway, serviceKey: key)
        let url: JSON = "https://other.example.com/"
        let refused = [
            try await limited.send(
                .post, "eventEndpoints", ["eventEndpointId": "other", "url": url, "include": ["profile"]]),
            try await limited.send(.patch, "eventEndpoints/backend", ["include": ["profile"]]),
        ]
        #expect(refused.allSatisfy { $0.wireCode == "PERMISSION_DENIED" })
        #expect(try await limited.send(.patch, "eventEndpoints/backend", ["url": url]).status == 200)
        _ = try await fixture.configurator.send(.patch, "eventEndpoints/backend", ["include": ["profile"]])
        let moved = try await limited.send(.patch, "eventEndpoints/backend", ["url": "https://evil.example.com/"])
        #expect(moved.wireCode == "PERMISSION_DENIED")
        #expect(
            try await limited.send(.patch, "eventEndpoints/backend", ["url": url, "include": []]).status == 200)
    }

    @Test("A project has at most twenty endpoints")
    func limit() async throws {
        let fixture = try await EventFixture()
        for number in 2...20 {
            let created = try await fixture.configurator.send(
                .post, "eventEndpoints", ["eventEndpointId": .string("e\(number)")])
            #expect(created.status == 200)
        }
        let excess = try await fixture.configurator.send(.post, "eventEndpoints", ["eventEndpointId": "e21"])
        #expect(excess.outcome.hasPrefix("400 INVALID_ARGUMENT"))
    }

    @Test("The feed has every event after a number, until it expires")
    func feed() async throws {
        let fixture = try await EventFixture()
        #expect(try await fixture.events().json == ["events": [], "lastSequence": 0])
        try await fixture.createAccounts("ada", "bob", "eve")
        try await fixture.dispatch()
        func accounts(_ query: String) async throws -> [String] {
            try await fixture.events(query).json["events"]?.elements.map { $0["data"]?["localId"]?.string ?? "" } ?? []
        }
        #expect(try await accounts("after=0") == ["ada", "bob", "eve"])
        #expect(try await accounts("after=1&maxResults=1") == ["bob"])
        #expect(try await fixture.events("after=1&maxResults=1").json["lastSequence"] == 2)
        #expect(try await accounts("after=3").isEmpty)
        #expect(try await accounts("kinds=account.deleted").isEmpty)
        #expect(try await fixture.events("kinds=account.deleted").json["lastSequence"] == 3)
        #expect(try await fixture.events("kinds=x").status == 400)
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM account_event WHERE sequence < 3")
        #expect(try await fixture.events("after=1").outcome.hasPrefix("410 EVENTS_EXPIRED"))
        #expect(try await accounts("after=2") == ["eve"])
        #expect(
            try await fixture.events("after=4").outcome.hasPrefix("410 EVENTS_EXPIRED"),
            "after the restore of a backup, a reader is ahead of the stream")
        try await fixture.gateway.makeOtherProject(serviceKey: "sks_other")
        let foreign = try await fixture.gateway.send(
            .get, "/v1/projects/demo/events", body: [], query: [], headers: ["Authorization": "Bearer sks_other"])
        #expect(foreign.status == 403 || foreign.status == 400, "\(foreign.outcome)")
    }

    @Test("A reader whose number is higher than the project's latest event is refused")
    func readerWithoutStream() async throws {
        let fixture = try await EventFixture()
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM event_stream")
        #expect(try await fixture.events("after=1").outcome.hasPrefix("410 EVENTS_EXPIRED"))
        #expect(try await fixture.events("after=0").status == 200)
    }

    @Test("A waiting reader gets the next event, and no earlier one again")
    func waitingReader() async throws {
        let fixture = try await EventFixture()
        try await fixture.createAccounts("ada", "bob", "eve")
        try await fixture.dispatch()
        async let waiting = fixture.events("after=1&kinds=account.deleted&waitSeconds=20")
        try await Task.sleep(for: .milliseconds(400))
        // A request for the events after number 1 is refused now.
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM account_event WHERE sequence <= 2")
        let deleted = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts:delete", ["localId": "ada"], by: fixture.configurator.serviceKey)
        #expect(deleted.status == 200)
        try await fixture.dispatch()
        let page = try await waiting
        #expect(page.status == 200, "\(page.text)")
        #expect(page.json["events"]?.elements.map { $0["data"]?["localId"]?.string } == ["ada"])
        #expect(page.json["lastSequence"] == 4)
    }

    @Test("A reader stops waiting when the gateway shuts down", .timeLimit(.minutes(1)))
    func draining() async throws {
        let fixture = try await EventFixture(isDraining: true)
        let start = ContinuousClock.now
        #expect(try await fixture.events("after=0&waitSeconds=20").json == ["events": [], "lastSequence": 0])
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test("An endpoint without a URL records events for the feed, and gets no requests")
    func feedOnly() async throws {
        let fixture = try await EventFixture()
        _ = try await fixture.configurator.send(.delete, "eventEndpoints/backend")
        _ = try await fixture.configurator.send(.post, "eventEndpoints", ["eventEndpointId": "feed"])
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        #expect(try await fixture.events().json["lastSequence"] == 1)
        #expect(fixture.server.requests.isEmpty)
        let tested = try await fixture.configurator.send(.post, "eventEndpoints/feed:test")
        #expect(tested.outcome.hasPrefix("400 INVALID_ARGUMENT"))
    }

    @Test("Events of tenants reach the project's endpoint with the ID of the tenant")
    func tenants() async throws {
        let fixture = try await EventFixture()
        let tenants = try await TenantFixture(fixture.gateway)
        let tenant = try await tenants.makeTenant()
        _ = try await tenants.administerAccounts("", of: tenant, ["localId": "ada"])
        _ = try await tenants.administerAccounts(":delete", of: tenant, ["localId": "ada"])
        try await fixture.dispatch()
        let events = fixture.server.requests.map(\.json)
        #expect(Set(events.compactMap { $0["type"]?.string }) == ["account.created", "account.deleted"])
        #expect(events.allSatisfy { $0["tenantId"]?.string == tenant && $0["project"] == "demo" })
    }
}
