import EventLoop
import HTTP
import Synchronization
import Testing

@Suite("Draining a server", .timeLimit(.minutes(1)))
struct DrainTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("A draining server answers requests in progress, closes idle connections, and accepts no new connections")
    func inFlight() async throws {
        let drainLoop = try Loop(name: "drain")
        let gate = Gate()
        let handler: Handler = { request in
            if request.path == "/slow" { await gate.pass() }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let idle = try RawClient(port: server.port)
            idle.send(get)
            #expect(try idle.receive()?.status == 200)
            let busy = try RawClient(port: server.port)
            busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + get)
            while gate.arrivals == 0 { await Task.yield() }

            let drained = Task(executorPreference: drainLoop) { await server.drain(within: .seconds(30)) }
            #expect(try idle.endsWithoutMoreBytes())
            #expect(throws: RawClient.ConnectionFailed.self) { try RawClient(port: server.port) }
            gate.open()
            let reply = try busy.receive()
            #expect(reply?.body == "GET /slow  \n")
            #expect(reply?.head.contains("Connection: close") == true)
            #expect(try busy.endsWithoutMoreBytes())
            await drained.value
            #expect(server.connections == 0)
        }
        drainLoop.stop()
    }

    @Test("Requests that do not end within the drain time are cancelled, and their connections are closed")
    func outOfTime() async throws {
        let gate = Gate()
        let cancelledRequests = Mutex(0)
        let handler: Handler = { request in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                cancelledRequests.withLock { $0 += 1 }
            }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send(get) }
            while gate.arrivals < 3 { await Task.yield() }
            await server.drain(within: .milliseconds(50))
            #expect(server.connections == 0)
            for client in clients { #expect(try client.endsWithoutMoreBytes()) }
            #expect(cancelledRequests.withLock { $0 } == 3)
            gate.open()
        }
    }

    @Test("Draining a server that was not started returns at once")
    func unused() async throws {
        let group = try LoopGroup(count: 2)
        let server = try Server(
            loops: group.loops, address: "127.0.0.1", port: 0, handlers: [RequestHandler(echo), RequestHandler(echo)])
        await server.drain(within: .seconds(30))
        await server.drain(within: .seconds(30))
        #expect(server.connections == 0)
        group.stop()
    }
}
