import EventLoop
import Glibc
import HTTP
import Synchronization
import Testing

@Suite("Draining a server", .timeLimit(.minutes(5)))
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
            #expect(await drained.value == 0)
            #expect(server.connections == 0)
        }
        drainLoop.stop()
    }

    @Test("Before it drains, a server can tell clients to leave: it accepts requests and closes after each response")
    func closeAfterResponses() async throws {
        try await withServer(loops: 2) { server in
            let early = try RawClient(port: server.port)
            early.send(get)
            #expect(try early.receive()?.head.contains("Connection: close") == false)
            server.closeConnectionsAfterResponses()
            for client in [early, try RawClient(port: server.port), try RawClient(port: server.port)] {
                client.send(get)
                let reply = try client.receive()
                #expect(reply?.status == 200)
                #expect(reply?.head.contains("Connection: close") == true)
                #expect(try client.endsWithoutMoreBytes())
            }
        }
    }

    @Test(
        "A request that arrives at the last moment is answered, on an open or a new connection",
        arguments: [false, true])
    func lastMoment(isNewConnection: Bool) async throws {
        let drainLoop = try Loop(name: "drain")
        let gates = [BlockingGate(), BlockingGate()]
        // Called while an event loop handles the events of its sockets. What arrives while it is blocked waits in the
        // kernel, and the loop runs the jobs that it has collected before it looks for new events.
        let bodyLimit: @Sendable (HTTP.Method, String) -> BodyLimit = { _, path in
            if let number = Int(path.dropFirst()) { gates[number].pass() }
            return .bytes(0)
        }
        try await withServer(loops: 2, requestHandler: RequestHandler(bodyLimit: bodyLimit, echo)) { server in
            // The server assigns connections to its two loops in turn. The first loop also accepts connections.
            let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
            for client in clients {
                client.send(get)
                #expect(try client.receive()?.status == 200)
            }
            let onLoop = isNewConnection ? [clients[0], clients[2]] : [clients[1], clients[3], clients[5]]
            onLoop[0].send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
            await gates[0].arrival()
            // The loop finds the next request and the job that begins the drain at the same time.
            onLoop[1].send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let drained = Task(executorPreference: drainLoop) { await server.drain(within: .seconds(30)) }
            // If the drain began later, the test would pass without testing anything.
            try await Task.sleep(for: .milliseconds(50))
            gates[0].open()
            await gates[1].arrival()
            let client = try isNewConnection ? RawClient(port: server.port) : onLoop[2]
            client.send(get)
            gates[1].open()
            #expect(try client.receive()?.status == 200)
            #expect(await drained.value == 0)
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
            #expect(await server.drain(within: .milliseconds(50)) == 3, "the number of requests that were cut off")
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

/// Blocks the calling thread until it is opened.
private final class BlockingGate: Sendable {
    private let hasArrived = Atomic(false)
    private let isOpen = Atomic(false)

    func pass() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        while !isOpen.load(ordering: .sequentiallyConsistent) { usleep(100) }
    }

    func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }

    func arrival() async {
        while !hasArrived.load(ordering: .sequentiallyConsistent) { await Task.yield() }
    }
}
