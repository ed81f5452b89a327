import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("The delivery of events to endpoints")
struct EventDeliveryTests {
    @Test("An event is numbered and delivered once, signed, without addresses and names")
    func delivery() async throws {
        let fixture = try await EventFixture()
        let ada = try await fixture.gateway.signUp()
        try await fixture.dispatch()
        try await fixture.dispatch()
        let request = try #require(fixture.server.requests.first)
        #expect(fixture.server.requests.count == 1)
        #expect(request.url == EventFixture.url)
        #expect(request.method == .post)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(try request.isSigned(by: fixture.secret))
        let event = request.json
        #expect(event["id"]?.string == request.eventID)
        #expect(event["type"] == "account.created")
        #expect(event["project"] == "demo")
        #expect(event["sequence"] == 1)
        #expect(event["data"] == ["localId": .string(ada.localId), "actor": "user", "method": "password"])
        #expect(try await fixture.deliveries() == ["1 delivered 1"])
    }

    @Test("A sign-in has an event only if an endpoint names it")
    func sessions() async throws {
        let unnamed = try await EventFixture()
        _ = try await unnamed.gateway.signUp()
        #expect(try await unnamed.gateway.signIn().status == 200)
        try await unnamed.dispatch()
        #expect(unnamed.server.requests.map { $0.json["type"]?.string } == ["account.created"])
        let named = try await EventFixture(kinds: ["session.opened"])
        _ = try await named.gateway.signUp()
        #expect(try await named.gateway.signIn().status == 200)
        for _ in 0..<2 {
            #expect(try await named.gateway.signIn(named.gateway.appleCredential()).status == 200)
        }
        try await named.dispatch()
        let methods = named.server.requests.compactMap { $0.json["data"]?["method"]?.string }
        #expect(methods.sorted() == ["apple.com", "apple.com", "password", "password"])
        #expect(named.server.requests.allSatisfy { $0.json["data"]?["sessionId"]?.string != nil })
    }

    @Test("A failed delivery is repeated with the same ID after growing delays, then it has failed")
    func retries() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        fixture.gateway.clock.advance(by: .seconds(3))
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == 1, "too early")
        for delay in [6, 36, 144, 720, 4320, 12_960, 34_560] {
            fixture.gateway.clock.advance(by: .seconds(delay))
            try await fixture.dispatch()
        }
        #expect(fixture.server.requests.count == 8)
        #expect(Set(fixture.server.requests.map(\.eventID)).count == 1)
        #expect(try await fixture.deliveries() == ["1 pending 8"])
        #expect(try await fixture.endpoint()["state"] == "active")
        fixture.gateway.clock.advance(by: .seconds(103_680))
        try await fixture.dispatch()
        #expect(try await fixture.deliveries() == ["1 failed 9"])
        #expect(try await fixture.endpoint()["state"] == "disabled", "no success for a day")
    }

    @Test("After ten failures in a row, the cursor stands and one probe goes out per step")
    func standing() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer { _ in throw ClientFault.timedOut }
        let ids = (1...14).map { "user\($0)" }
        for id in ids { try await fixture.createAccounts(id) }
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == 10 || fixture.server.requests.count == 11)
        let sent = fixture.server.requests.count
        #expect(try await fixture.endpoint()["state"] == "failing")
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == sent, "the first probe is not due")
        fixture.gateway.clock.advance(by: .seconds(7))
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == sent + 1)
        fixture.server.answer(204)
        fixture.gateway.clock.advance(by: .seconds(700))
        try await fixture.dispatch()
        #expect(try await fixture.deliveries().allSatisfy { $0.contains("delivered") })
        #expect(Set(fixture.server.accounts) == Set(ids))
        #expect(try await fixture.endpoint()["failures"] == 0)
    }

    @Test("An endpoint without a success for a day is disabled; its events wait until it is enabled")
    func disabled() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(503)
        for number in 1...12 { try await fixture.createAccounts("user\(number)") }
        for _ in 0..<60 {
            try await fixture.dispatch()
            fixture.gateway.clock.advance(by: .seconds(3600))
        }
        let endpoint = try await fixture.endpoint()
        #expect(endpoint["state"] == "disabled")
        #expect(endpoint["disabledReason"] == "noSuccess")
        let count = fixture.server.requests.count
        fixture.server.answer(200)
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == count, "it gets nothing")
        #expect(try await fixture.configurator.send(.post, "eventEndpoints/backend:enable").status == 200)
        let failed = try await fixture.deliveries().filter { $0.contains("failed") }.count
        try await fixture.dispatch()
        #expect(try await fixture.deliveries().filter { $0.contains("delivered") }.count == 12 - failed)
        let replayed = try await fixture.configurator.send(.post, "eventEndpoints/backend:replay", ["after": 0])
        #expect(replayed.json == ["count": 12])
        try await fixture.dispatch()
        #expect(try await fixture.deliveries() == (1...12).map { "\($0) delivered 1" })
        #expect(Set(fixture.server.requests.map(\.eventID)).count == 12, "an event keeps its ID")
    }

    @Test("An event that is replayed while it is in flight is sent again", arguments: [true, false])
    func replayInFlight(isDelivered: Bool) async throws {
        let fixture = try await EventFixture()
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        #expect(try await fixture.replayAll() == 1)
        fixture.server.answer { _ in ClientResponse(status: isDelivered ? 204 : 500) }
        fixture.server.delayResponses(by: .milliseconds(300))
        async let sending: Void = fixture.dispatch()
        while fixture.server.requests.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await fixture.replayAll() == 1, "the clock of the test stands still")
        try await sending
        fixture.server.answer(204)
        fixture.gateway.clock.advance(by: .seconds(1))
        try await fixture.dispatch()
        #expect(fixture.server.accounts == ["ada", "ada", "ada"])
        #expect(try await fixture.deliveries() == ["1 delivered 1"])
    }

    @Test(
        "An endpoint that is down for 24 hours gets one more probe at once, and is disabled")
    func patience() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        for number in 1...12 { try await fixture.createAccounts("user\(number)") }
        for _ in 0..<23 {
            try await fixture.dispatch()
            fixture.gateway.clock.advance(by: .seconds(3600))
        }
        #expect(try await fixture.endpoint()["state"] == "failing")
        let count = fixture.server.requests.count
        fixture.gateway.clock.advance(by: .seconds(3700))
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == count + 1)
        #expect(try await fixture.endpoint()["disabledReason"] == "noSuccess")
    }

    @Test("An endpoint that accepts the probe after 24 hours is not disabled")
    func recovery() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        for number in 1...12 { try await fixture.createAccounts("user\(number)") }
        for _ in 0..<20 {
            try await fixture.dispatch()
            fixture.gateway.clock.advance(by: .seconds(3600))
        }
        fixture.gateway.clock.advance(by: .seconds(5 * 3600))
        fixture.server.answer(204)
        try await fixture.dispatch()
        #expect(try await fixture.endpoint()["state"] == "active")
    }

    @Test("An endpoint is disabled without another attempt if its failed events no longer exist")
    func nothingToProbe() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM account_event")
        fixture.gateway.clock.advance(by: .seconds(25 * 3600))
        try await fixture.dispatch()
        #expect(try await fixture.endpoint()["disabledReason"] == "noSuccess")
        #expect(fixture.server.requests.count == 1)
    }

    @Test("A delivery whose event has expired has failed, and does not delay others")
    func expired() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        for number in 1...4 { try await fixture.createAccounts("user\(number)") }
        try await fixture.dispatch()
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM account_event WHERE sequence < 4")
        fixture.server.answer(204)
        fixture.gateway.clock.advance(by: .seconds(7))
        try await fixture.dispatch()
        #expect(try await fixture.deliveries() == ["1 failed 1", "2 failed 1", "3 failed 1", "4 delivered 2"])
        let store = EventDispatchStore(pool: fixture.gateway.database.pool)
        #expect(try await store.dueEndpoints(of: [ID("demo")], at: fixture.gateway.clock.now).isEmpty)
    }

    @Test("A deleted project sends nothing, and no process takes its lease", arguments: [false, true])
    func deletedProject(hasLease: Bool) async throws {
        let fixture = try await EventFixture()
        if hasLease { try await fixture.dispatch() }
        try await fixture.createAccounts("ada", "bob")
        let store = EventDispatchStore(pool: fixture.gateway.database.pool)
        let key = EventDispatchStore.Key(project: ID("demo"), endpoint: ID("backend"))
        #expect(try await store.target(key) != nil)
        _ = try await fixture.gateway.database.pool.execute(
            "UPDATE realm SET deleted_at = \(Timestamp(microsecondsSinceEpoch: fixture.gateway.clock.now.microseconds)) WHERE id = 'demo'"
        )
        try await fixture.dispatch()
        #expect(fixture.server.requests.isEmpty)
        #expect(try await store.target(key) == nil, "a running task sends no further event")
        let other = EventFixture.dispatcher(of: fixture.gateway)
        if !hasLease { #expect(try await fixture.lastSequence() == 0) }
        try await other.step()
        #expect(other.pause > .seconds(1))
        #expect(try await store.backlog(at: fixture.gateway.clock.now).oldestUnnumbered == .zero)
        let janitor = Janitor(pool: fixture.gateway.database.pool)
        _ = try await janitor.remove(.deletedRealm, at: fixture.gateway.clock.now)
        let rows = try await fixture.gateway.database.pool.query("SELECT FROM outbox WHERE kind = 'account.deleted'")
        #expect(rows.isEmpty, "it has no listeners")
    }

    struct Answer: CustomTestStringConvertible, Sendable {
        let status: Int
        var headers = Headers()
        let state: String
        /// How much later there is another attempt.
        let retriesAfter: Int?

        var testDescription: String { "\(status)" }
    }

    @Test(
        "What a response other than 2xx means",
        arguments: [
            Answer(status: 410, state: "disabled", retriesAfter: nil),
            Answer(status: 302, headers: ["Location": "https://other.example.com/"], state: "active", retriesAfter: 7),
            Answer(status: 429, headers: ["Retry-After": "600"], state: "active", retriesAfter: 600),
            Answer(status: 503, headers: ["Retry-After": "86400"], state: "active", retriesAfter: 3600),
        ])
    func answers(row: Answer) async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(row.status, headers: row.headers)
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        #expect(try await fixture.endpoint()["state"] == .string(row.state))
        #expect(fixture.server.requests.count == 1)
        guard let delay = row.retriesAfter else { return }
        try await fixture.createAccounts("bob")
        if delay > 7 {
            fixture.gateway.clock.advance(by: .seconds(delay - 2))
            try await fixture.dispatch()
            #expect(fixture.server.requests.count == 1, "the endpoint asked to wait")
            fixture.gateway.clock.advance(by: .seconds(2))
        } else {
            fixture.gateway.clock.advance(by: .seconds(delay))
        }
        fixture.server.answer(200)
        try await fixture.dispatch()
        #expect(fixture.server.accounts == ["ada", "ada", "bob"])
        #expect(fixture.server.requests.allSatisfy { $0.url == EventFixture.url })
    }

    @Test("During a rotation both secrets sign, afterwards only the new one")
    func rotation() async throws {
        let fixture = try await EventFixture()
        let rotated = try await fixture.configurator.send(.post, "eventEndpoints/backend:rotateSecret", [:])
        let new = try #require(rotated.json["secret"]?.string)
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        fixture.gateway.clock.advance(by: .seconds(86_400))
        try await fixture.createAccounts("bob")
        try await fixture.dispatch()
        let requests = fixture.server.requests
        #expect(try requests.map { try $0.isSigned(by: fixture.secret) } == [true, false])
        #expect(try requests.map { try $0.isSigned(by: new) } == [true, true])
        _ = try await fixture.configurator.send(
            .post, "eventEndpoints/backend:rotateSecret", ["overlapSeconds": 0])
        try await fixture.createAccounts("eve")
        try await fixture.dispatch()
        #expect(try fixture.server.requests.last.map { try $0.isSigned(by: new) } == false)
    }

    @Test("After a change of the URL, the former server gets no request")
    func newURL() async throws {
        let fixture = try await EventFixture()
        fixture.server.answer(500)
        try await fixture.createAccounts("ada")
        try await fixture.dispatch()
        let updated = try await fixture.configurator.send(
            .patch, "eventEndpoints/backend", ["url": "https://new.example.com/"])
        #expect(updated.status == 200, "\(updated.text)")
        fixture.server.answer(200)
        fixture.gateway.clock.advance(by: .seconds(10))
        try await fixture.createAccounts("bob")
        try await fixture.dispatch()
        let urls = fixture.server.requests.map(\.url)
        #expect(urls == [EventFixture.url, "https://new.example.com/", "https://new.example.com/"])
    }

    @Test("Events that commit in another order than they happened are all delivered, and numbers have no gaps")
    func commitOrder() async throws {
        let fixture = try await EventFixture()
        let pool = fixture.gateway.database.pool
        try await pool.transaction { transaction in
            _ = try await transaction.execute(
                """
                INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
                VALUES (gen_random_uuid(), 'demo', 'account.created', 'early', 'system', '{}', '2020-01-01Z')
                """)
            try await fixture.createAccounts("late")
            try await fixture.dispatch()
            #expect(fixture.server.accounts == ["late"])
        }
        try await fixture.dispatch()
        #expect(fixture.server.accounts == ["late", "early"])
        #expect(fixture.server.requests.map { $0.json["sequence"]?.integer } == [1, 2])
    }

    @Test("Two processes number every event once, and one of them delivers it")
    func replicas() async throws {
        let fixture = try await EventFixture()
        let other = EventFixture.dispatcher(of: fixture.gateway)
        try await fixture.dispatcher.step()
        try await other.step()
        for number in 1...20 { try await fixture.createAccounts("user\(number)") }
        // Numbering is safe even without the lease.
        let store = EventDispatchStore(pool: fixture.gateway.database.pool)
        async let first = store.number(ID("demo"), limit: 7)
        async let second = store.number(ID("demo"), limit: 7)
        async let third = store.number(ID("demo"), limit: 1000)
        #expect(try await first + second + third == 20)
        try await other.step()
        await other.finishTasks()
        #expect(fixture.server.requests.isEmpty, "it has no lease")
        try await fixture.dispatch()
        #expect(fixture.server.requests.map { $0.json["sequence"]?.integer ?? 0 }.sorted() == Array(1...20))
        await fixture.dispatcher.stop()
        let successor = EventFixture.dispatcher(of: fixture.gateway)
        try await fixture.createAccounts("ada")
        try await successor.step()
        await successor.finishTasks()
        #expect(fixture.server.accounts.last == "ada", "the lease was given up")
    }

    @Test("A process that lost its lease during a request does not move the cursor back")
    func lostLease() async throws {
        let fixture = try await EventFixture()
        try await fixture.createAccounts("ada", "bob")
        let store = EventDispatchStore(pool: fixture.gateway.database.pool)
        _ = try await store.number(ID("demo"), limit: 10)
        let stale = try #require(try await store.target(.init(project: ID("demo"), endpoint: ID("backend"))))
        try await fixture.dispatch()
        #expect(
            try await !store.record(
                [], movingCursorTo: 1, health: EndpointHealth(), of: stale, at: fixture.gateway.clock.now))
        #expect(try await fixture.endpoint()["lastSequence"] == 2)
    }

    @Test("A test event has no number and is not stored")
    func test() async throws {
        let fixture = try await EventFixture()
        let tested = try await fixture.configurator.send(.post, "eventEndpoints/backend:test")
        #expect(tested.json == ["delivered": true, "status": 204])
        let event = try #require(fixture.server.requests.first).json
        #expect(event["type"] == "endpoint.test")
        #expect(event["sequence"] == nil)
        fixture.server.answer { _ in throw ClientFault.destinationNotAllowed }
        let refused = try await fixture.configurator.send(.post, "eventEndpoints/backend:test")
        #expect(refused.json == ["delivered": false, "failure": "destinationNotAllowed"])
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == 2)
    }
}

extension EventFixture {
    /// Asks for all events again.
    ///
    /// - Returns: how many the gateway promises.
    fileprivate func replayAll() async throws -> Int? {
        try await configurator.send(.post, "eventEndpoints/backend:replay", ["after": 0]).json["count"]?.integer
    }
}
