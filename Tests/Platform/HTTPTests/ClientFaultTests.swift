import EventLoop
import Foundation
import HTTP
import Testing

@Suite("Faults of a client", .timeLimit(.minutes(5)))
struct ClientFaultTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let fault: ClientFault
        /// What the server does with a connection, before it closes the connection; `nil` if it accepts none.
        let script: (@Sendable (RawConnection) -> Void)?

        init(_ description: String, _ fault: ClientFault, script: (@Sendable (RawConnection) -> Void)?) {
            (testDescription, self.fault, self.script) = (description, fault, script)
        }
    }

    static let start = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"

    @Test(
        "A failure of the server is thrown as the corresponding fault",
        arguments: [
            Row("never accepts", .timedOut, script: nil),
            Row("sends nothing", .timedOut) { _ = $0.waitForEnd() },
            Row("sends its head too slowly", .timedOut) { $0.sendRepeatedly("HTTP/1.1 200 OK\r\nX: ") },
            Row("sends its body too slowly", .timedOut) { connection in
                connection.send(start)
                connection.sendRepeatedly(".")
            },
            Row("closes without an answer", .connectionLost) { _ = $0.receiveHead() },
            Row("closes within its head", .connectionLost) { connection in
                _ = connection.receiveHead()
                connection.send("HTTP/1.1 200 OK\r\nX-A:")
            },
            Row("closes after an interim answer", .connectionLost) { connection in
                _ = connection.receiveHead()
                connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n")
            },
            Row("closes within its body", .connectionLost) { connection in
                _ = connection.receiveHead()
                connection.send(start + "abc")
            },
            Row("resets within its body", .connectionLost) { connection in
                _ = connection.receiveHead()
                connection.send(start + "abc")
                usleep(50_000)
                connection.resetWhenReleased()
            },
            // `request(port:)` allows bodies of 4096 bytes.
            Row("announces a body over the limit", .tooLarge) { connection in
                connection.send("HTTP/1.1 200 OK\r\ncontent-length:4097\r\n\r\n")
                _ = connection.waitForEnd()
            },
            Row("sends a body over the limit unannounced", .tooLarge) { connection in
                connection.send("HTTP/1.1 200 OK\r\n\r\n")
                connection.sendRepeatedly(String(repeating: "a", count: 4097))
            },
            Row("sends a body over the limit in pieces", .tooLarge) { connection in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.sendRepeatedly("800\r\n" + String(repeating: "a", count: 0x800) + "\r\n")
            },
            Row("sends a head over the limit", .tooLarge) { connection in
                connection.send("HTTP/1.1 200 OK\r\n")
                // 33 fields of 1007 bytes; the limit is 32 KiB.
                let field = "X-A: \(String(repeating: "a", count: 1000))\r\n"
                connection.sendRepeatedly(String(repeating: field, count: 33))
            },
            Row("sends interim answers without end", .tooLarge) { connection in
                connection.sendRepeatedly(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 2000))
            },
            // CURLE_UNSUPPORTED_PROTOCOL is 1, and CURLE_WEIRD_SERVER_REPLY is 8.
            Row("does not speak HTTP", .protocolError(code: 1)) { connection in
                _ = connection.receiveHead()
                connection.send("220 mail.example.com ESMTP\r\n")
            },
            Row("announces a negative length", .protocolError(code: 8)) { connection in
                _ = connection.receiveHead()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")
            },
        ])
    func serverFaults(row: Row) async throws {
        let server = try RawServer(script: row.script)
        try await withClient { client in
            let deadline: Duration = row.fault == .timedOut ? .milliseconds(400) : .seconds(30)
            await #expect(throws: row.fault) { try await client.send(request(port: server.port, deadline: deadline)) }
        }
    }

    @Test("A response with an error status and the largest allowed body is returned")
    func errorWithLargestBody() async throws {
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            connection.send(
                "HTTP/1.1 503 No\r\nContent-Type: text/html\r\n\r\n<html>" + String(repeating: "a", count: 4090))
        }
        try await withClient { client in
            let response = try await client.send(request(port: server.port, headers: ["Accept": "application/json"]))
            #expect(response.status == 503)
            #expect(response.body.count == 4096)
        }
    }

    @Test("A response to HEAD may announce a body above the limit")
    func head() async throws {
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        }
        try await withClient { client in
            let response = try await client.send(request(.head, port: server.port))
            #expect(response.headers["Content-Length"] == "1000000")
        }
    }

    @Test("A request ends at its deadline if no connection is made")
    func fullQueue() async throws {
        let server = try RawServer(backlog: 0, script: nil)
        // Fills the queue of connections that the server has not accepted, so that no further connection is made.
        let filler = try RawClient(port: server.port)
        try await withClient { client in
            await #expect(throws: ClientFault.timedOut) {
                try await client.send(request(port: server.port, deadline: .milliseconds(400)))
            }
        }
        withExtendedLifetime(filler) {}
    }

    @Test("A request ends at its deadline while it waits for another request's connection")
    func noFreeConnection() async throws {
        let server = try RawServer { _ = $0.waitForEnd() }
        try await withClient(limits: ClientLimits(connectionsPerHost: 1)) { client in
            let first = Task { try await client.send(request(port: server.port, deadline: .seconds(60))) }
            while server.connections == 0 { try await Task.sleep(for: .milliseconds(5)) }
            await #expect(throws: ClientFault.timedOut) {
                try await client.send(request(port: server.port, deadline: .milliseconds(300)))
            }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }
        #expect(server.connections == 1)
    }

    @Test("A port on which no server listens is unreachable")
    func refusedPort() async throws {
        let port = try RawServer(script: nil).port  // the server is released at once, and closes its socket
        try await withClient { client in
            await #expect(throws: ClientFault.unreachable) { try await client.send(request(port: port)) }
        }
    }

    @Test("A host that cannot be resolved is an unknown host")
    func unknownHost() async throws {
        try await withClient { client in
            await #expect(throws: ClientFault.unknownHost) {
                try await client.send(ClientRequest(.get, "https://nothing.invalid/", destination: .fromOperator))
            }
        }
    }

    @Test("A request is rejected if too many are in progress")
    func overload() async throws {
        let server = try RawServer { _ = $0.waitForEnd() }
        try await withClient(limits: ClientLimits(requests: 2)) { client in
            let inProgress = (0..<2).map { _ in
                Task { try await client.send(request(port: server.port, deadline: .seconds(60))) }
            }
            while server.connections < 2 { try await Task.sleep(for: .milliseconds(5)) }
            await #expect(throws: ClientFault.overloaded) { try await client.send(request(port: server.port)) }
            for request in inProgress {
                request.cancel()
                await #expect(throws: CancellationError.self) { try await request.value }
            }
        }
    }

    @Test("A closed client ends the requests in progress and rejects later ones")
    func close() async throws {
        let received = Counter()
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            received.add()
            _ = connection.waitForEnd()
        }
        try await withClient { client in
            let one = Task { try await client.send(request(port: server.port)) }
            let other = Task { try await client.send(request(port: server.port)) }
            while received.value < 2 { await Task.yield() }
            await client.close()
            await #expect(throws: ClientFault.closed) { try await one.value }
            await #expect(throws: ClientFault.closed) { try await other.value }
            await #expect(throws: ClientFault.closed) { try await client.send(request(port: server.port)) }
        }
    }

    @Test("A cancelled request throws CancellationError, and its connection ends")
    func cancellation() async throws {
        let (received, ended) = (Counter(), Counter())
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            received.add()
            if connection.waitForEnd() { ended.add() }
        }
        try await withClient { client in
            let task = Task { try await client.send(request(port: server.port)) }
            while received.value == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            while ended.value == 0 { await Task.yield() }
        }
    }

    @Test(
        "A header field that is not valid or is reserved is rejected before a connection is made",
        arguments: [
            ("", "a"), ("X A", "a"), ("X:", "a"), ("X\r\nY", "a"), ("Ü", "a"), ("X", "a\r\nY: b"), ("X", "a\u{0}b"),
            ("X", "a\nb"), ("host", "example.com"), ("Content-Length", "1"), ("transfer-encoding", "chunked"),
            ("Expect", "100-continue"), ("Connection", "close"), ("User-Agent", "a"), ("Upgrade", "h2c"),
        ])
    func headers(name: String, value: String) async throws {
        let server = try RawServer { $0.answer("a") }
        try await withClient { client in
            await #expect(throws: ClientFault.invalidHeader) {
                try await client.send(request(port: server.port, headers: [name: value]))
            }
        }
        #expect(server.connections == 0)
    }
}
