internal import EventLoop
public import HTTP
internal import Synchronization

/// Serves a simulated provider on a port of 127.0.0.1, on its own event loop. The thread of the loop runs until the
/// server is stopped.
public final class SimulatorServer: Sendable {
    private struct Running {
        let server: Server
        let loops: LoopGroup
    }

    public let port: UInt16
    private let respond: @Sendable (Request) async -> Response
    private let inFlight = InFlight()
    /// Guards the running server; `nil` while it is stopped.
    private let running: Mutex<Running?>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - port: 0 picks a free port.
    ///   - rejection: returns the response to a request that does not reach the provider.
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public init(
        _ provider: any SimulatedProvider, port: UInt16 = 0,
        rejection: @escaping @Sendable (Request) -> Response? = { _ in nil }
    ) throws {
        respond = { request in
            if let response = rejection(request) { return response }
            return await provider.respond(to: request)
        }
        let started = try Self.start(respond, port: port, counting: inFlight)
        self.port = started.server.port
        running = Mutex(started)
    }

    /// The URL of the server, without a slash at the end.
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    /// Stops listening, and closes all connections. Requests in flight get no response. Tests also call this to
    /// simulate an outage; ``resume()`` ends it.
    public func stop() async {
        let stopping = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopping else { return }
        await stopping.server.drain(within: .zero)
        // The loop must run until the cancelled handlers have finished.
        while inFlight.count > 0 { await Task.yield() }
        stopping.loops.stop()
    }

    /// Starts to listen on the same port again, after ``stop()``.
    public func resume() throws {
        try running.withLock { running in
            guard running == nil else { return }
            running = try Self.start(respond, port: port, counting: inFlight)
        }
    }

    /// Runs `body` with a server, and stops the server afterwards.
    public static func run<Value>(
        _ provider: any SimulatedProvider, _ body: (SimulatorServer) async throws -> Value
    ) async throws -> Value {
        let server = try SimulatorServer(provider)
        return try await perform {
            try await body(server)
        } finally: {
            await server.stop()
        }
    }

    private static func start(
        _ respond: @escaping @Sendable (Request) async -> Response, port: UInt16, counting inFlight: InFlight
    ) throws -> Running {
        let loops = try LoopGroup(count: 1)
        do {
            let handler = RequestHandler(
                bodyLimit: { _, _ in .bytes(64 * 1024) },
                respond: { request in await inFlight.counted { await respond(request) } })
            let server = try Server(loops: loops.loops, address: "127.0.0.1", port: port, handlers: [handler])
            server.start()
            return Running(server: server, loops: loops)
        } catch {
            loops.stop()
            throw error
        }
    }
}

/// Counts the requests whose handlers are running.
private final class InFlight: Sendable {
    private let open = Atomic(0)

    var count: Int { open.load(ordering: .acquiring) }

    func counted<Value>(_ body: () async -> Value) async -> Value {
        open.add(1, ordering: .acquiringAndReleasing)
        defer { open.subtract(1, ordering: .acquiringAndReleasing) }
        return await body()
    }
}
