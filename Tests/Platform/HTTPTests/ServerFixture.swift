import EventLoop
import HTTP
import Synchronization

typealias Handler = @Sendable (Request) async -> Response

/// Answers with a line of the request's method, path, query parameters (`name=value;` each) and body.
let echo: Handler = { request in
    let query = request.query.map { "\($0.name)=\($0.value);" }.joined()
    let body = String(decoding: request.body, as: UTF8.self)
    return .text(status: 200, "\(request.method.rawValue) \(request.path) \(query) \(body)")
}

extension RequestHandler {
    /// Allows bodies of at most `bodyLimit` bytes on every route.
    init(bodyLimit: Int = 0, _ respond: @escaping Handler) {
        self.init(bodyLimit: { _, _ in .bytes(bodyLimit) }, respond)
    }

    init(bodyLimit: @escaping @Sendable (Method, String) -> BodyLimit, _ respond: @escaping Handler) {
        self.init(
            bodyLimit: bodyLimit,
            rejected: { $0 == .overloaded ? .text(status: 503, "Busy: \($1.path)") : $0.response }, respond: respond)
    }
}

/// Runs `body` with a server on a free port, and stops the server afterwards.
func withServer(
    loops count: Int = 1, limits: Limits = Limits(), bodyLimit: Int = 1024, handler: @escaping Handler = echo,
    _ body: (Server) async throws -> Void
) async throws {
    try await withServer(
        loops: count, limits: limits, requestHandler: RequestHandler(bodyLimit: bodyLimit, handler), body)
}

/// Runs `body` with a server that has the given request handler, and stops the server afterwards.
func withServer(
    loops count: Int = 1, limits: Limits = Limits(), requestHandler handler: RequestHandler,
    _ body: (Server) async throws -> Void
) async throws {
    let group = try LoopGroup(count: count)
    let server = try Server(
        loops: group.loops, address: "127.0.0.1", port: 0, limits: limits,
        handlers: Array(repeating: handler, count: count))
    server.start()
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    await server.drain(within: .seconds(5))
    group.stop()
    try result.get()
}

/// Blocks handlers until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of calls of ``pass()``.
    var arrivals: Int { state.withLock { $0.arrivals } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
