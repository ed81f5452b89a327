import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Support

@Suite("Reading the audit trail")
struct AuditQueryTests {
    private struct Fixture {
        let gateway: TestGateway
        let reader: ServiceKey
        let store: AuditStore

        init() async throws {
            gateway = try await TestGateway()
            try await gateway.makeOtherProject(serviceKey: "sks_other")
            reader = try await ServiceKey(id: "auditor", in: gateway, scopes: ServiceKeyScopes([.readAudit]))
            store = AuditStore(pool: gateway.database.pool)
        }

        /// Writes an audit event at the current time of the clock.
        func write(
            _ action: String, _ subject: String = "ada", by actor: AuditActor = .user(.none),
            in project: String = "demo"
        ) async throws {
            try await store.trail.record(AuditNote(action, subject), actor, ID(project), gateway.clock.now)
        }

        func page(_ query: [(String, String)] = []) async throws -> Exchange {
            try await gateway.send(
                .get, "/v1/projects/demo/auditEvents", by: reader, query: query.map { (name: $0.0, value: $0.1) })
        }

        /// The actions of the events, without those of the set-up.
        func actions(_ query: [(String, String)] = []) async throws -> [String] {
            try await page(query).actions.filter { !$0.hasSuffix(".added") }
        }
    }

    @Test("The latest audit event comes first, and each has actor, subject, detail, network, request ID and time")
    func shape() async throws {
        let fixture = try await Fixture()
        try await fixture.write("a")
        fixture.gateway.clock.advance(by: .microseconds(1))
        let trace = RequestTrace(network: "192.0.2.0/24", requestID: "r1")
        try await fixture.store.trail.record(
            AuditNote("b", "ada", ["members": "email"]), .serviceKey("k", trace), ID("demo"), fixture.gateway.clock.now)
        #expect(try await fixture.actions() == ["b", "a"])
        let event = try #require(try await fixture.page().json["auditEvents"]?[0])
        #expect(event["actor"] == "key:k")
        #expect(event["subject"] == "ada")
        #expect(event["detail"] == ["members": "email"])
        #expect(event["network"] == "192.0.2.0/24")
        #expect(event["requestId"] == "r1")
        #expect(event["occurredAt"]?.string == fixture.gateway.clock.now.iso8601)
    }

    struct Filter: CustomTestStringConvertible {
        let testDescription: String
        let query: [(String, String)]
        let actions: [String]
    }

    @Test(
        "Audit events are found by subject, actor, action and time",
        arguments: [
            Filter(testDescription: "subject", query: [("subject", "bob")], actions: ["c"]),
            Filter(testDescription: "actor", query: [("actor", "key:k")], actions: ["b"]),
            Filter(testDescription: "action", query: [("action", "a")], actions: ["a"]),
            Filter(
                testDescription: "subject and actor", query: [("subject", "ada"), ("actor", "user")], actions: ["a"]),
            Filter(testDescription: "no match", query: [("subject", "eve")], actions: []),
            Filter(
                testDescription: "since, inclusive", query: [("since", "2027-01-15T08:00:01Z")], actions: ["c", "b"]),
            Filter(testDescription: "until, exclusive", query: [("until", "2027-01-15T08:00:01Z")], actions: ["a"]),
            Filter(
                testDescription: "a day", query: [("since", "2027-01-15"), ("until", "2027-01-16")],
                actions: ["c", "b", "a"]),
        ])
    func filters(row: Filter) async throws {
        let fixture = try await Fixture()
        #expect(fixture.gateway.clock.now.iso8601 == "2027-01-15T08:00:00.000Z")
        try await fixture.write("a")
        try await fixture.write("z", in: "other")
        fixture.gateway.clock.advance(by: .seconds(1))
        try await fixture.write("b", by: .serviceKey("k"))
        fixture.gateway.clock.advance(by: .seconds(1))
        try await fixture.write("c", "bob")
        #expect(try await fixture.actions(row.query) == row.actions)
    }

    @Test("Pages have each earlier event exactly once while newer events are written", arguments: [1, 3, 7])
    func pages(size: Int) async throws {
        let fixture = try await Fixture()
        for index in 0..<10 {
            // Some events have the same time.
            if index.isMultiple(of: 4) { fixture.gateway.clock.advance(by: .microseconds(1)) }
            try await fixture.write("event-\(index)")
        }
        var seen: [String] = []
        var token: String?
        repeat {
            let page = try await fixture.page(
                [("pageSize", String(size)), ("subject", "ada")] + (token.map { [("pageToken", $0)] } ?? []))
            #expect(page.actions.count <= size)
            seen += page.actions
            token = page.json["nextPageToken"]?.string
            fixture.gateway.clock.advance(by: .microseconds(1))
            try await fixture.write("late")
        } while token != nil
        #expect(seen.count == 10)
        #expect(Set(seen) == Set((0..<10).map { "event-\($0)" }))
    }

    @Test(
        "Invalid parameters of an audit query are rejected",
        arguments: [
            ("pageToken", "x"), ("pageToken", "1_2"), ("pageToken", "9999999999999999999_x"), ("pageSize", "-1"),
            ("since", "yesterday"), ("until", "2027-02-30"), ("subject", "a\0b"),
            ("subject", String(repeating: "🥝", count: 101)), ("actor", "a b"),
            ("actor", String(repeating: "x", count: 201)),
        ])
    func refusals(member: String, value: String) async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.page([(member, value)]).status == 400)
    }
}

extension Exchange {
    fileprivate var actions: [String] {
        guard case .array(let events) = json["auditEvents"] else { return [] }
        return events.compactMap { $0["action"]?.string }
    }
}
