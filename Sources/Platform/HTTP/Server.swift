internal import CSystem
public import EventLoop

/// An HTTP/1.1 server with one daemon per loop and one listener.
///
/// A connection and the tasks of its requests stay on one loop. TLS and HTTP/2 are left to a proxy.
public final class Server: Sendable {
    private let daemons: [Daemon]
    private let listener: Listener
    private let table: ConnectionTable
    private let budget: BodyBudget

    /// Binds the address; ``start()`` accepts connections.
    ///
    /// - Parameters:
    ///   - address: numeric IPv4 or IPv6; "::" takes both.
    ///   - port: 0 for any free port.
    ///   - handlers: one per loop, in the same order.
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public init(
        loops: [Loop], address: String, port: UInt16, limits: Limits = Limits(), handlers: [RequestHandler]
    ) throws {
        precondition(!loops.isEmpty && loops.count == handlers.count, "expected loops and one handler for each")
        let table = ConnectionTable(limits: limits)
        let budget = BodyBudget(bytes: limits.heldBodyBytes)
        listener = try Listener(address: address, port: port)
        daemons = zip(loops, handlers).map { loop, handler in
            Daemon(loop: loop, limits: limits, handler: handler, table: table, budget: budget)
        }
        self.table = table
        self.budget = budget
    }

    /// The bound port.
    public var port: UInt16 { listener.port }

    /// The number of open connections.
    public var connections: Int { table.total }

    /// Connections that were closed at once because their network had too many.
    public var connectionsRejectedByAddress: Int { table.rejectedByAddress }

    /// Connections that were closed at once because the process had too many.
    public var connectionsRejectedByTotal: Int { table.rejectedByTotal }

    /// Idle connections that were closed to make room for new ones.
    public var connectionsClosedIdle: Int { table.closedIdle }

    /// Bytes of request bodies in memory, including announced bytes that have not arrived.
    public var heldBodyBytes: Int { budget.reserved }

    /// Bodies that were not read because the process held too many bytes.
    public var bodiesRejected: Int { budget.rejections }

    public func start() {
        let acceptor = daemons[0].loop
        acceptor.submit { [listener, daemons, table] in
            var turn = 0
            listener.start(on: acceptor) { descriptor, address in
                guard let peer = table.admit(address) else {
                    close(descriptor)
                    return
                }
                let daemon = daemons[turn]
                turn = (turn + 1) % daemons.count
                if daemon.loop.isCurrent {
                    daemon.add(descriptor, peer)
                } else {
                    daemon.loop.submit { daemon.add(descriptor, peer) }
                }
            }
        }
    }

    /// Shuts down in order: stops accepting, closes idle connections, and answers requests in progress with
    /// `Connection: close`. After `limit`, running requests are cancelled and their connections closed.
    ///
    /// The server cannot be started again. Its loops must run until this returns, and until cancelled handlers have
    /// ended.
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
