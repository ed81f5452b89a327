import EventLoop
import HTTP
import Testing

@Suite("Deadlines of a connection", .timeLimit(.minutes(5)))
struct DeadlineTests {
    private let limits = Limits(
        headDeadline: .seconds(1), bodyDeadline: .seconds(1), idleDeadline: .seconds(1))

    @Test(
        "A connection ends if its client sends a request in small pieces for too long",
        arguments: [
            ("nothing but an incomplete request line", "", "G"),
            ("head", "GET /a HTTP/1.1\r\n", "X-A: 1\r\n"),
            ("body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "."),
            ("next request line", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "G"),
            ("next head", "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n", "X-A: 1\r\n"),
        ])
    func trickle(part: String, start: String, piece: String) async throws {
        let timer = try Loop(name: "timer")
        try await withServer(limits: limits) { server in
            let client = try RawClient(port: server.port)
            client.send(start)
            // 100 pieces would take 5 seconds; the deadlines are one second.
            var count = 0
            while count < 100, client.send(piece) {
                count += 1
                try await timer.sleep(for: .milliseconds(50))
            }
            #expect(count < 100)
        }
        timer.stop()
    }

    @Test(
        "An idle connection ends, before its first request and after a response",
        arguments: ["", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"])
    func idle(start: String) async throws {
        try await withServer(limits: limits) { server in
            let client = try RawClient(port: server.port)
            client.send(start)
            if !start.isEmpty { #expect(try client.receive()?.status == 200) }
            #expect(try client.endsWithoutMoreBytes())
        }
    }

    @Test("A connection ends if its client does not read the response")
    func unread() async throws {
        let calls = Counter()
        let large: Handler = { _ in
            calls.add()
            // 32 MiB do not fit into the buffers of the sockets.
            return Response(status: 200, body: Array(repeating: 0x41, count: 32 << 20))
        }
        try await withServer(limits: limits, handler: large) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            while calls.value == 0 { await Task.yield() }
            while server.connections > 0 { await Task.yield() }
            #expect(try client.receive() == nil)
        }
    }

    @Test("The deadlines do not apply to a running handler")
    func slowHandler() async throws {
        let timer = try Loop(name: "timer")
        let slow: Handler = { request in
            try? await timer.sleep(for: .seconds(2))  // the task is never cancelled
            return await echo(request)
        }
        try await withServer(limits: limits, handler: slow) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive()?.status == 200)
        }
        timer.stop()
    }
}
