public import EventLoop

/// An HTTP/1.1 server on top of libmicrohttpd: one library daemon per loop, and one place that accepts.
///
/// A connection belongs to one loop, and so does the handler's task for each of its requests. Of TLS and HTTP/2
/// nothing is done here; a proxy in front does them.
public final class Server: Sendable {
    public typealias Handler = @Sendable (Request) async -> Response

    private let daemons: [Daemon]
    private let listener: Listener

    /// Binds, but does not accept before ``start()``.
    ///
    /// - Parameters:
    ///   - address: numeric IPv4 or IPv6; "::" takes both.
    ///   - port: 0 for any that is free.
    ///   - bodyLimit: bytes of body, by method and undecoded path.
    ///   - handlers: one per loop, in the same order.
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public init(
        loops: [Loop], address: String, port: UInt16, limits: Limits = Limits(),
        bodyLimit: @escaping @Sendable (Method, String) -> Int, handlers: [Handler]
    ) throws {
        precondition(!loops.isEmpty && loops.count == handlers.count, "a server needs loops, and a handler for each")
        let frontDoor = FrontDoor(limits: limits, bodyLimit: bodyLimit)
        listener = try Listener(address: address, port: port)
        daemons = try zip(loops, handlers).map { try Daemon(loop: $0, frontDoor: frontDoor, handler: $1) }
    }

    /// The port that is bound.
    public var port: UInt16 { listener.port }

    /// How many connections are open now.
    public var connections: Int { daemons.reduce(0) { $0 + $1.connectionCount } }

    public func start() {
        for daemon in daemons { daemon.loop.submit { daemon.start() } }
        let acceptor = daemons[0].loop
        acceptor.submit { [listener, daemons] in
            var turn = 0
            listener.start(on: acceptor) { descriptor, address in
                let daemon = daemons[turn]
                turn = (turn + 1) % daemons.count
                if daemon.loop.isCurrent {
                    daemon.add(descriptor, from: address)
                } else {
                    daemon.loop.submit { daemon.add(descriptor, from: address) }
                }
            }
        }
    }

    /// Ends in order: accepts no more, closes connections that wait for a request, answers what is in flight with
    /// `Connection: close`. Requests still running after `limit` are cancelled, and their connections cut.
    ///
    /// The server cannot be started again. Its loops must run until this returns, and until handlers have ended that
    /// were cancelled and do not heed it.
    public func drain(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        await Task(executorPreference: daemons[0].loop) { [listener, loop = daemons[0].loop] in
            listener.close(on: loop)
        }.value
        await withTaskGroup(of: Void.self) { group in
            for daemon in daemons {
                group.addTask(executorPreference: daemon.loop) { await daemon.drain(until: end) }
            }
        }
    }
}
