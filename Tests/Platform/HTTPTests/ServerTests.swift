import EventLoop
import HTTP
import Synchronization
import Testing

@Suite("HTTP server", .timeLimit(.minutes(5)))
struct ServerTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("Several requests on one connection are answered")
    func keepAlive() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for number in 0..<20 {
                client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
                client.send("ab")
                #expect(try client.receive()?.body == "POST /\(number)  ab\n")
            }
            #expect(server.connections == 1)
        }
    }

    @Test("Pipelined requests are answered in order")
    func pipelined() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send((0..<100).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n." }.joined())
            for number in 0..<100 { #expect(try client.receive()?.body == "POST /\(number)  .\n") }
        }
    }

    @Test("Pipelined requests that exceed the server's buffers are answered in order, one at a time")
    func manyPipelined() async throws {
        let gate = Gate()
        let handler: Handler = { request in
            await gate.pass()
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let client = try RawClient(port: server.port)
            client.send((0..<2000).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" }.joined())
            while gate.arrivals == 0 { await Task.yield() }
            let other = try RawClient(port: server.port)
            other.send(get)
            while gate.arrivals < 2 { await Task.yield() }
            // The handler runs for one request of each client.
            #expect(gate.arrivals == 2)
            gate.open()
            #expect(try other.receive()?.status == 200)
            for number in 0..<2000 { #expect(try client.receive()?.body == "POST /\(number)  abc\n") }
        }
    }

    @Test("A body in pieces is accepted up to the limit of its route")
    func pieces() async throws {
        try await withServer(bodyLimit: 300_000) { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            for _ in 0..<300 { client.send(String(repeating: "x", count: 1000)) }
            #expect(try client.receive()?.body == "POST /  \(String(repeating: "x", count: 300_000))\n")
        }
    }

    @Test("HEAD is answered with a length but no body")
    func head() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + get)
            let reply = try #require(try client.receive(hasBody: false))
            let body = "HEAD /a  \n"
            #expect(reply.head.contains("Content-Length: \(body.utf8.count)"))
            #expect(try client.receive()?.body == "GET /a  \n")
        }
    }

    @Test("The handler's response is sent with Date and Content-Length, and nothing else is added")
    func headers() async throws {
        let handler: Handler = { _ in
            Response(status: 201, headers: ["X-One": "1", "Set-Cookie": "a=1", "set-cookie": "b=2"], body: [0x41])
        }
        try await withServer(handler: handler) { server in
            let client = try RawClient(port: server.port)
            client.send(get)
            let lines = try #require(try client.receive()).head.split(separator: "\r\n")
            #expect(
                lines.filter { !$0.hasPrefix("Date: ") }
                    == ["HTTP/1.1 201 Created", "X-One: 1", "Set-Cookie: a=1", "set-cookie: b=2", "Content-Length: 1"])
            #expect(lines.count == 6)
        }
    }

    @Test("A response with a status that allows no body is sent without Content-Length", arguments: [204, 304])
    func noLength(status: Int) async throws {
        try await withServer(handler: { _ in Response(status: status, body: [0x41]) }) { server in
            let client = try RawClient(port: server.port)
            client.send(get)
            let reply = try #require(try client.receive())
            #expect(reply.status == status)
            #expect(!reply.head.lowercased().contains("content-length"))
            client.send(get)
            #expect(try client.receive()?.status == status)
        }
    }

    @Test(
        "A response with an invalid status, or with an invalid, empty or reserved field, is replaced by status 500",
        arguments: [
            Response(status: 99), Response(status: 100), Response(status: 600),
            Response(status: 200, headers: ["X-A": "a\r\nSet-Cookie: b=1"]),
            Response(status: 200, headers: ["X-A": "a\u{0}"]), Response(status: 200, headers: ["X A": "a"]),
            Response(status: 200, headers: ["connection": "close"]), Response(status: 200, headers: ["Date": "now"]),
            Response(status: 200, headers: ["X-A": ""]), Response(status: 200, headers: ["": "a"]),
            Response(status: 200, headers: ["Content-Length": "7"]),
            Response(status: 200, headers: ["Transfer-Encoding": "gzip"]),
        ])
    func brokenResponse(response: Response) async throws {
        try await withServer(handler: { _ in response }) { server in
            let client = try RawClient(port: server.port)
            client.send(get)
            #expect(try client.receive()?.status == 500)
            #expect(try client.endsWithoutMoreBytes())
        }
    }

    @Test("A handler runs on its connection's loop, and gets the peer's address and a unique request ID")
    func context() async throws {
        let group = try LoopGroup(count: 2)
        let seen = Mutex<[String]>([])
        let handlers = group.loops.map { loop -> Handler in
            { request in
                seen.withLock { $0.append(request.id) }
                return .text(status: 200, "\(request.peer) \(request.headers["x-request-id"] ?? "") \(loop.isCurrent)")
            }
        }
        let server = try Server(
            loops: group.loops, address: "127.0.0.1", port: 0, handlers: handlers.map { RequestHandler($0) })
        server.start()
        for _ in 0..<40 {
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
            #expect(try client.receive()?.body == "127.0.0.1 mine true\n")
        }
        await server.drain(within: .seconds(5))
        group.stop()
        let ids = seen.withLock { $0 }
        #expect(Set(ids).count == 40)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    }

    @Test("An address that is in use, not numeric or not of this machine cannot be bound")
    func binding() async throws {
        try await withServer { server in
            let group = try LoopGroup(count: 1)
            for (address, port) in [("127.0.0.1", server.port), ("localhost", 0), ("192.0.2.1", 0)] {
                #expect(throws: SystemError.self) {
                    try Server(
                        loops: group.loops, address: address, port: port, handlers: [RequestHandler(echo)])
                }
            }
            group.stop()
        }
    }

    @Test("A response that is larger than the buffers of the sockets arrives complete")
    func largeResponse() async throws {
        let body = (0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 / 251) }
        try await withServer(handler: { _ in Response(status: 200, body: body) }) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let received = try client.remainingBytes()
            #expect(received.suffix(body.count).elementsEqual(body))
        }
    }

    @Test("The connection of a client that disconnects is counted until the handler of its request has ended")
    func disconnected() async throws {
        let gate = Gate()
        let handler: Handler = { request in
            if request.path == "/slow" { await gate.pass() }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            do {
                let client = try RawClient(port: server.port)
                client.resetWhenReleased()
                client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                while gate.arrivals == 0 { await Task.yield() }
            }
            let other = try RawClient(port: server.port)
            for _ in 0..<10 {
                other.send(get)
                #expect(try other.receive()?.status == 200)
            }
            #expect(server.connections == 2)
            gate.open()
            while server.connections > 1 { await Task.yield() }
        }
    }

    @Test("The server continues after 300 clients have disconnected while their requests ran")
    func vanishing() async throws {
        let gate = Gate()
        let handler: Handler = { request in
            await gate.pass()
            return await echo(request)
        }
        try await withServer(loops: 2, handler: handler) { server in
            for _ in 0..<300 {
                let client = try RawClient(port: server.port)
                client.resetWhenReleased()
                client.send(get)
            }
            let last = try RawClient(port: server.port)
            last.send(get)
            gate.open()
            #expect(try last.receive()?.status == 200)
            while server.connections > 1 { await Task.yield() }
        }
    }

    @Test("32 clients with 50 requests each get the right response to every request")
    func load() async throws {
        try await withServer(loops: 2) { server in
            let pool = try FairPool(name: "clients", threads: 32, capacity: 64)
            let correct = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<32 {
                    group.addTask { [port = server.port] in
                        try await pool.run(for: ["\(number)"]) { try correctResponses(toClient: number, port: port) }
                    }
                }
                return try await group.reduce(0, +)
            }
            pool.stop()
            #expect(correct == 32 * 50)
        }
    }
}

/// Sends 50 requests on one connection, and returns the number of correct responses.
private func correctResponses(toClient number: Int, port: UInt16) throws -> Int {
    let client = try RawClient(port: port)
    return try (0..<50).count { turn in
        let body = "\(number)-\(turn)"
        client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.receive()?.body == "POST /\(number)  \(body)\n"
    }
}
