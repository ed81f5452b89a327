import EventLoop
import HTTP
import Synchronization
import Testing

@Suite("Presence of a client", .timeLimit(.minutes(5)))
struct ClientPresenceTests {
    enum Departure: String, CaseIterable, CustomTestStringConvertible {
        case closes = "closes the connection"
        case resets = "resets the connection"
        case pipelines = "sends another request, then closes the connection"
        var testDescription: String { rawValue }
    }

    @Test("A handler learns that its client is gone", arguments: Departure.allCases)
    func departure(of departure: Departure) async throws {
        let (gate, presence) = (Gate(), PresenceRecorder())
        try await withServer(handler: presence.handler(waitingFor: gate)) { server in
            var client: RawClient? = try RawClient(port: server.port)
            client?.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            while gate.arrivals == 0 { await Task.yield() }
            #expect(presence.isGone == false)
            if departure == .pipelines { client?.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n") }
            if departure == .resets { client?.resetWhenReleased() }
            client = nil
            while presence.isGone != true { await Task.yield() }
            gate.open()
            while server.connections > 0 { await Task.yield() }
        }
    }

    @Test("A client that has closed its sending side is present, and gets its response", arguments: ["1.0", "1.1"])
    func halfClosed(version: String) async throws {
        let (gate, presence) = (Gate(), PresenceRecorder())
        try await withServer(handler: presence.handler(waitingFor: gate)) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /first HTTP/\(version)\r\nHost: a\r\n\r\n")
            while gate.arrivals == 0 { await Task.yield() }
            client.finishSending()
            // HTTP/1.0 has no interim responses.
            if version == "1.1" { #expect(try client.receive(hasBody: false)?.status == 100) }
            // The server has processed the end of the input when it has answered another client.
            let other = try RawClient(port: server.port)
            other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            while gate.arrivals == 1 { await Task.yield() }
            #expect(presence.isGone == false)
            gate.open()
            #expect(try client.receive()?.status == 200)
            #expect(try client.endsWithoutMoreBytes())
            #expect(try other.receive()?.status == 200)
        }
    }

    @Test("A client that sends further requests while the first one is processed is present")
    func pipelining() async throws {
        let (gate, presence) = (Gate(), PresenceRecorder())
        try await withServer(handler: presence.handler(waitingFor: gate)) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            while gate.arrivals == 0 { await Task.yield() }
            client.send("GET /third HTTP/1.1\r\nHost: a\r\n\r\n")
            // The server has processed the event of the third request when it has answered another client.
            let other = try RawClient(port: server.port)
            gate.open()
            other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try other.receive()?.status == 200)
            for _ in 0..<3 { #expect(try client.receive()?.status == 200) }
            #expect(presence.isGone == false)
        }
    }
}

/// The presence of the client of the first request.
private final class PresenceRecorder: Sendable {
    private let recorded = Mutex<ClientPresence?>(nil)

    /// `nil` before the first request.
    var isGone: Bool? { recorded.withLock { $0?.isGone } }

    func handler(waitingFor gate: Gate) -> Handler {
        { [self] request in
            recorded.withLock { $0 = $0 ?? request.presence }
            await gate.pass()
            return await echo(request)
        }
    }
}
