import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Events of one project or endpoint do not delay those of others")
struct EventFairnessTests {
    @Test("A step numbers one batch of each project, and the projects share the maximum")
    func batches() async throws {
        let fixture = try await EventFixture(kinds: ["account.deleted"])
        try await fixture.makeOtherStreams("aaa", "zzz")
        try await fixture.fillOutbox(count: 10_500)
        for project in ["aaa", "zzz"] { try await fixture.fillOutbox(of: project, count: 3) }
        try await fixture.dispatch()
        #expect(try await fixture.lastSequence() == 5000 / 3)
        #expect(try await fixture.lastSequence(of: "aaa") == 3)
        #expect(try await fixture.lastSequence(of: "zzz") == 3)
        #expect(fixture.dispatcher.pause < .milliseconds(10), "the next batch comes at once")
        try await fixture.dispatch()
        #expect(try await fixture.lastSequence() == 5000 / 3 + 5000)
        try await fixture.dispatch()
        #expect(try await fixture.lastSequence() == 10_500)
        #expect(fixture.dispatcher.pause == .milliseconds(250))
    }

    @Test("A project whose events cannot be numbered does not stop the others")
    func failure() async throws {
        let fixture = try await EventFixture()
        try await fixture.makeOtherStreams("aaa", "zzz")
        _ = try await fixture.gateway.database.pool.execute(
            """
            INSERT INTO account_event (project_id, sequence, id, realm_id, kind, account_id, actor, data, created_at)
            VALUES ('demo', 1, gen_random_uuid(), 'demo', 'account.created', 'ada', 'user', '{}', now())
            """)
        for project in ["demo", "aaa", "zzz"] { try await fixture.fillOutbox(of: project, count: 3) }
        await #expect(throws: (any Error).self) { try await fixture.dispatcher.step() }
        #expect(try await fixture.lastSequence() == 0)
        #expect(try await fixture.lastSequence(of: "aaa") == 3)
        #expect(try await fixture.lastSequence(of: "zzz") == 3)
    }

    @Test("Half of a wave is for new events, which therefore do not wait behind a replay")
    func replay() async throws {
        let fixture = try await EventFixture()
        try await fixture.warmUp()
        for number in 1...24 { try await fixture.createAccounts("user\(number)") }
        try await fixture.dispatch()
        let replayed = try await fixture.configurator.send(.post, "eventEndpoints/backend:replay", ["after": 0])
        #expect(replayed.json == ["count": 31])
        try await fixture.createAccounts("new")
        let sent = fixture.server.requests.count
        try await fixture.dispatch()
        let place = try #require(fixture.server.accounts.dropFirst(sent).firstIndex(of: "new")) - sent
        #expect(place < EventDispatcher.waveSize)
        #expect(fixture.server.requests.count == sent + 32)
    }

    @Test("Waves grow with quick successes, and an endpoint that takes longer than 2 s gets one request at a time")
    func slow() async throws {
        let fixture = try await EventFixture()
        for number in 1...3 { try await fixture.createAccounts("first\(number)") }
        try await fixture.dispatch()
        #expect(fixture.server.takeMostInFlight() == 2, "one event, then two")
        try await fixture.warmUp()
        for number in 1...8 { try await fixture.createAccounts("second\(number)") }
        try await fixture.dispatch()
        #expect(fixture.server.takeMostInFlight() == 8)
        fixture.server.delayResponses(by: .milliseconds(2100))
        try await fixture.createAccounts("slow")
        try await fixture.dispatch()
        _ = fixture.server.takeMostInFlight()
        fixture.server.delayResponses(by: .zero)
        for number in 1...5 { try await fixture.createAccounts("third\(number)") }
        try await fixture.dispatch()
        #expect(fixture.server.takeMostInFlight() == 1, "a quick answer does not count for ten minutes")
    }

    @Test(
        "A success does not cancel the effect of a failure in the same wave",
        arguments: [(410, Headers(), "disabled"), (429, ["Retry-After": "600"], "active")] as [(Int, Headers, String)])
    func mixedWave(status: Int, headers: Headers, state: String) async throws {
        let fixture = try await EventFixture()
        try await fixture.warmUp()
        fixture.server.answer { request in
            request.json["data"]?["localId"] == "first"
                ? ClientResponse(status: status, headers: headers) : ClientResponse(status: 204)
        }
        try await fixture.createAccounts("first", "second", "third")
        try await fixture.dispatch()
        #expect(try await fixture.endpoint()["state"]?.string == state)
        let sent = fixture.server.requests.count
        fixture.gateway.clock.advance(by: .seconds(300))
        try await fixture.createAccounts("fourth")
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == sent, "the endpoint is gone, or wants a pause")
    }

    @Test("Test events use slots of slow endpoints, one per project, and do not wait for one")
    func tests() async throws {
        let slots = EventSlots(count: 2, perProject: 2)
        await slots.take(for: ID("third"))
        #expect(await slots.takeForTest(of: ID("demo")))
        #expect(await !slots.takeForTest(of: ID("other")), "no slot is free")
        await slots.giveBack(of: ID("third"))
        #expect(await !slots.takeForTest(of: ID("demo")), "the project has a test in flight")
        #expect(await slots.takeForTest(of: ID("other")))
        await slots.giveBackTest(of: ID("demo"))
        #expect(await slots.takeForTest(of: ID("demo")))
    }

    @Test("A project does not hold all slots, and others get theirs before its waiting senders")
    func projectLimit() async throws {
        let slots = EventSlots(count: 3, perProject: 2)
        for _ in 0..<2 { await slots.take(for: ID("hostile")) }
        let waiting = Task { await slots.take(for: ID("hostile")) }
        try await Task.sleep(for: .milliseconds(50))
        await slots.take(for: ID("other"))
        #expect(await !slots.takeForTest(of: ID("third")), "no slot is free")
        await slots.giveBack(of: ID("hostile"))
        await waiting.value
    }

    @Test("A second test event of a project is refused while the first one is in flight")
    func concurrentTests() async throws {
        let fixture = try await EventFixture()
        fixture.server.delayResponses(by: .milliseconds(1500))
        async let first = fixture.configurator.send(.post, "eventEndpoints/backend:test")
        while fixture.server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let second = try await fixture.configurator.send(.post, "eventEndpoints/backend:test")
        #expect(second.wireCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(try await first.json == ["delivered": true, "status": 204])
        #expect(fixture.server.requests.count == 1)
        fixture.server.delayResponses(by: .zero)
        #expect(try await fixture.configurator.send(.post, "eventEndpoints/backend:test").status == 200)
    }
}

extension EventFixture {
    /// Creates projects that have streams of events, but no endpoints.
    fileprivate func makeOtherStreams(_ ids: String...) async throws {
        for (number, id) in ids.enumerated() {
            _ = try await gateway.database.pool.execute(
                """
                INSERT INTO realm (id, number, name, profile, created_at)
                VALUES (\(id), \(9_000 + number), 'Other', 'firebase', now())
                """)
            _ = try await gateway.database.pool.execute("INSERT INTO event_stream (project_id) VALUES (\(id))")
        }
    }
}
