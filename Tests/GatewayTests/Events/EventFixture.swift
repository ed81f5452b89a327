import API
import Crypto
import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Synchronization
import Telemetry
import Testing

@testable import Gateway
@testable import Support

/// A gateway whose project has the event endpoint `backend`, and the server of that endpoint.
struct EventFixture: Sendable {
    static let url = "https://backend.example.com/events"

    let server: EventServer
    let configurator: Configurator
    let dispatcher: EventDispatcher
    /// The secret of the endpoint.
    let secret: String

    var gateway: TestGateway { configurator.gateway }

    init(kinds: [JSON]? = nil, isDraining: Bool = false) async throws {
        let server = EventServer()
        self.server = server
        let gateway = try await TestGateway(
            isDraining: isDraining, wantedEvents: [], callbackResponse: { try await server.respond(to: $0) })
        configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(id: "events", in: gateway))
        var input: JSON = ["eventEndpointId": "backend", "url": .string(Self.url)]
        if let kinds { input = ["eventEndpointId": "backend", "url": .string(Self.url), "kinds": .array(kinds)] }
        let created = try await configurator.send(.post, "eventEndpoints", input)
        secret = try #require(created.json["secret"]?.string, "\(created.text)")
        dispatcher = Self.dispatcher(of: gateway)
    }

    static func dispatcher(of gateway: TestGateway) -> EventDispatcher {
        EventDispatcher(
            on: gateway.database.pool, sender: gateway.root.eventSender,
            reporter: EventReporter(log: Log(level: .error, descriptor: 2), metrics: Metrics()),
            clock: gateway.clock.wallClock)
    }

    /// Causes events by accounts that an administrator creates.
    func createAccounts(_ ids: String...) async throws {
        for id in ids {
            // Events are numbered in the order of their times.
            gateway.clock.advance(by: .milliseconds(1))
            let created = try await gateway.send(
                .post, "/v1/projects/demo/accounts", ["localId": .string(id)], by: configurator.serviceKey)
            #expect(created.status == 200, "\(created.text)")
        }
    }

    /// Numbers and delivers what is due.
    func dispatch() async throws {
        try await dispatcher.step()
        await dispatcher.finishTasks()
    }

    /// Inserts events that no endpoint has seen.
    func fillOutbox(of project: String = "demo", kind: String = "account.updated", count: Int) async throws {
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
            SELECT gen_random_uuid(), \(project), \(kind), 'user' || n, 'system', '{}',
                \(Timestamp(microsecondsSinceEpoch: gateway.clock.now.microseconds)) + n * interval '1 microsecond'
            FROM generate_series(1, \(count)) n
            """)
    }

    /// Sends events until the endpoint gets full waves.
    func warmUp() async throws {
        for number in 1...7 { try await createAccounts("warm\(number)") }
        try await dispatch()
    }

    /// The number of the latest event of a project.
    func lastSequence(of project: String = "demo") async throws -> Int64 {
        try await gateway.database.pool.query("SELECT last_sequence FROM event_stream WHERE project_id = \(project)")
            .first?.decode("last_sequence") ?? 0
    }

    func endpoint() async throws -> JSON { try await configurator.send(.get, "eventEndpoints/backend").json }

    /// The deliveries: number, state and attempts.
    func deliveries() async throws -> [String] {
        let list = try await configurator.send(.get, "eventEndpoints/backend/deliveries").json["deliveries"]
        return (list?.elements ?? []).map { delivery in
            "\(delivery["sequence"]?.integer ?? 0) \(delivery["state"]?.string ?? "") \(delivery["attempts"]?.integer ?? 0)"
        }
    }

    func events(_ query: String = "") async throws -> Exchange {
        let pairs = query.split(separator: "&").map { pair in
            let sides = pair.split(separator: "=").map(String.init)
            return (name: sides[0], value: sides[1])
        }
        return try await gateway.send(
            .get, "/v1/projects/demo/events", nil, by: configurator.serviceKey, query: pairs)
    }
}

/// The server of an event endpoint, which records the requests.
final class EventServer: Sendable {
    private let received = Mutex<[ClientRequest]>([])
    private let delay = Mutex<Duration>(.zero)
    private let flight = Mutex((now: 0, most: 0))
    private let status = Mutex<@Sendable (ClientRequest) throws -> ClientResponse>({ _ in ClientResponse(status: 204) })

    var requests: [ClientRequest] { received.withLock { $0 } }

    /// The accounts of the received events, in the order of arrival.
    var accounts: [String] { requests.map { $0.json["data"]?["localId"]?.string ?? "" } }

    /// How many requests were in flight at the same time, since the last call.
    func takeMostInFlight() -> Int {
        flight.withLock { flight in
            defer { flight.most = flight.now }
            return flight.most
        }
    }

    /// Delays the following responses.
    func delayResponses(by duration: Duration) { delay.withLock { $0 = duration } }

    func answer(_ status: Int, headers: Headers = Headers()) {
        answer { _ in ClientResponse(status: status, headers: headers) }
    }

    func answer(_ response: @escaping @Sendable (ClientRequest) throws -> ClientResponse) {
        status.withLock { $0 = response }
    }

    func respond(to request: ClientRequest) async throws -> ClientResponse {
        received.withLock { $0.append(request) }
        flight.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { flight.withLock { $0.now -= 1 } }
        try await Task.sleep(for: delay.withLock { $0 })
        return try status.withLock { $0 }(request)
    }
}

extension JSON {
    var integer: Int? { if case .number(let number) = self { Int(number) } else { nil } }
}

extension ClientRequest {
    var json: JSON { (try? JSON(body)) ?? .null }

    var eventID: String { headers["webhook-id"] ?? "" }

    /// Whether one of the signatures is that of `secret`.
    func isSigned(by secret: String) throws -> Bool {
        let time = try #require(headers["webhook-timestamp"].flatMap { Int64($0) })
        let secret = try #require(WebhookSecret(secret))
        let expected = WebhookSignature(of: body, id: eventID, at: time, secrets: [secret]).signatures
        return headers["webhook-signature"]?.split(separator: " ").contains { $0 == expected } ?? false
    }
}
