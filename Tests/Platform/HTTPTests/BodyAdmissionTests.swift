import EventLoop
import HTTP
import Testing

/// A large body is read only after a check of its head, and all bodies share one budget.
@Suite("Admission of bodies", .timeLimit(.minutes(5)))
struct BodyAdmissionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expectsContinue: Bool
        let sendsAtOnce: Bool
    }

    static let ways = [
        Row(testDescription: "waits for 100", expectsContinue: true, sendsAtOnce: false),
        Row(testDescription: "is sent at once", expectsContinue: false, sendsAtOnce: true),
        Row(
            testDescription: "is sent at once although the client expects 100", expectsContinue: true, sendsAtOnce: true
        ),
    ]

    /// Answers with the length of the body. Bodies above 2000 bytes are checked. The check waits until the gate is
    /// open, and accepts only bodies for "/key". Bodies above 300 000 bytes are rejected without a check.
    private func checkedBodies(_ gate: Gate) -> RequestHandler {
        RequestHandler(
            bodyLimit: { _, _ in
                .checked(max: 300_000, uncheckedUpTo: 2000) { head in
                    await gate.pass()
                    return head.path == "/key" && head.body.isEmpty ? nil : .text(status: 401, "No key")
                }
            }, { .text(status: 200, "\($0.body.count)") })
    }

    private func head(_ path: String, bodyBytes: Int, expectsContinue: Bool = false) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(bodyBytes)\r\n"
            + (expectsContinue ? "Expect: 100-continue\r\n" : "") + "\r\n"
    }

    @Test("A body that needs a check is not read before the check", arguments: ways)
    func waits(way: Row) async throws {
        let gate = Gate()
        try await withServer(requestHandler: checkedBodies(gate)) { server in
            let client = try RawClient(port: server.port)
            client.send(head("/key", bodyBytes: 200_000, expectsContinue: way.expectsContinue))
            if way.sendsAtOnce { client.send(String(repeating: "x", count: 100_000)) }
            while gate.arrivals == 0 { await Task.yield() }
            #expect(server.reservedBodyBytes == 0)
            gate.open()
            if !way.sendsAtOnce { #expect(try client.receive()?.status == 100) }
            while server.reservedBodyBytes == 0 { await Task.yield() }
            #expect(server.reservedBodyBytes == 200_000)
            client.send(String(repeating: "x", count: way.sendsAtOnce ? 100_000 : 200_000))
            var reply = try client.receive()
            if reply?.status == 100 { reply = try client.receive() }
            #expect(reply?.body == "200000\n")
            #expect(server.reservedBodyBytes == 0)
            client.send(head("/key", bodyBytes: 1) + "x")
            #expect(try client.receive()?.body == "1\n")
        }
    }

    @Test(
        "If the check of a body fails, the request is answered before its body ends, and the connection is closed",
        arguments: ways)
    func rejected(way: Row) async throws {
        let gate = Gate()
        try await withServer(requestHandler: checkedBodies(gate)) { server in
            let client = try RawClient(port: server.port)
            client.send(head("/other", bodyBytes: 200_000, expectsContinue: way.expectsContinue))
            if way.sendsAtOnce { client.send(String(repeating: "x", count: 100_000)) }
            while gate.arrivals == 0 { await Task.yield() }
            gate.open()
            let reply = try client.receive()
            #expect(reply?.status == 401)
            #expect(reply?.body == "No key\n")
            #expect(reply?.head.contains("Connection: close") == true)
            #expect(try client.endsWithoutMoreBytes())
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test(
        "A body is checked only above the unchecked size, and is rejected without a check above the limit",
        arguments: [(2000, 200, 0), (2001, 401, 1), (300_000, 401, 1), (300_001, 413, 0)])
    func sizes(bytes: Int, status: Int, checks: Int) async throws {
        let gate = Gate()
        gate.open()
        try await withServer(requestHandler: checkedBodies(gate)) { server in
            let client = try RawClient(port: server.port)
            client.send(head("/other", bodyBytes: bytes))
            if status == 200 { client.send(String(repeating: "x", count: bytes)) }
            #expect(try client.receive()?.status == status)
            #expect(gate.arrivals == checks)
        }
    }

    @Test("No bytes stay reserved if the client disconnects or the server stops during the check")
    func abandoned() async throws {
        let gate = Gate()
        try await withServer(requestHandler: checkedBodies(gate)) { server in
            do {
                let client = try RawClient(port: server.port)
                client.resetWhenReleased()
                client.send(head("/key", bodyBytes: 200_000))
                while gate.arrivals == 0 { await Task.yield() }
            }
            let second = try RawClient(port: server.port)
            second.send(head("/key", bodyBytes: 200_000))
            while gate.arrivals < 2 { await Task.yield() }
            await server.drain(within: .zero)
            #expect(try second.endsWithoutMoreBytes())
            #expect(server.connections == 0)
            gate.open()
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test("The server does not wait for a body whose client has disconnected during the check")
    func disconnected() async throws {
        let gate = Gate()
        let limits = Limits(bodyDeadline: .seconds(3600))
        try await withServer(limits: limits, requestHandler: checkedBodies(gate)) { server in
            do {
                let client = try RawClient(port: server.port)
                client.resetWhenReleased()
                client.send(head("/key", bodyBytes: 200_000))
                while gate.arrivals == 0 { await Task.yield() }
            }
            let other = try RawClient(port: server.port)
            other.send("GET /key HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try other.receive()?.status == 200)
            gate.open()
            while server.connections > 1 { await Task.yield() }
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test("A body above a quarter of the free budget is answered with 503, and a smaller body is still accepted")
    func budget() async throws {
        let limits = Limits(bodyBudgetBytes: 1_000_000)
        try await withServer(limits: limits, bodyLimit: 250_000) { server in
            let held = try (0..<2).map { _ in try RawClient(port: server.port) }
            // A body may use a quarter of 1 000 000, then of 750 000, and then of 563 000 bytes, which is 140 750.
            held[0].send(head("/a", bodyBytes: 250_000) + "x")
            while server.reservedBodyBytes < 250_000 { await Task.yield() }
            held[1].send(head("/a", bodyBytes: 187_000) + "x")
            while server.reservedBodyBytes < 437_000 { await Task.yield() }

            let rejected = try RawClient(port: server.port)
            rejected.send(head("/b", bodyBytes: 200_000, expectsContinue: true))
            let reply = try rejected.receive()
            #expect(reply?.status == 503)
            #expect(reply?.body == "Busy: /b\n")
            #expect(try rejected.endsWithoutMoreBytes())
            #expect(server.bodiesRejected == 1)
            let small = try RawClient(port: server.port)
            small.send(head("/c", bodyBytes: 1000) + String(repeating: "x", count: 1000))
            #expect(try small.receive()?.status == 200)
            #expect(server.reservedBodyBytes == 437_000)

            for client in held { client.resetWhenReleased() }
        }
    }

    @Test(
        "The bytes of a body stay reserved until its handler has ended, or the client disconnects in the middle of the body"
    )
    func release() async throws {
        let gate = Gate()
        let handler: Handler = { request in
            await gate.pass()
            return await echo(request)
        }
        try await withServer(bodyLimit: 5000, handler: handler) { server in
            let client = try RawClient(port: server.port)
            client.send(head("/a", bodyBytes: 5000) + String(repeating: "x", count: 5000))
            while gate.arrivals == 0 { await Task.yield() }
            #expect(server.reservedBodyBytes == 5000)
            // `half` is released at the end of this block, which closes its connection.
            do {
                let half = try RawClient(port: server.port)
                half.send(head("/a", bodyBytes: 4000) + "x")
                while server.reservedBodyBytes < 9000 { await Task.yield() }
            }
            while server.reservedBodyBytes > 5000 { await Task.yield() }
            gate.open()
            #expect(try client.receive()?.status == 200)
            #expect(server.reservedBodyBytes == 0)
        }
    }
}
