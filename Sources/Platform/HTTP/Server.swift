internal import CSystem
public import EventLoop

/// An HTTP/1.1 server on top of libmicrohttpd: one library daemon per loop, and one place that accepts.
///
/// A connection belongs to one loop, and so does the handler's task for each of its requests. Of TLS and HTTP/2
/// nothing is done here; a proxy in front does them.
public final class Server: Sendable {
    private let daemons: [Daemon]
    private let listener: Listener
    private let table: ConnectionTable
    private let budget: BodyBudget

    /// Binds, but does not accept before ``start()``.
    ///
    /// - Parameters:
    ///   - address: numeric IPv4 or IPv6; "::" takes both.
    ///   - port: 0 for any that is free.
    ///   - handlers: one per loop, in the same order.
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public init(
        loops: [Loop], address: String, port: UInt16, limits: Limits = Limits(), handlers: [RequestHandler]
    ) throws {
        precondition(!loops.isEmpty && loops.count == handlers.count, "a server needs loops, and a handler for each")
        let table = ConnectionTable(limits: limits)
        let budget = BodyBudget(bytes: limits.heldBodyBytes)
        listener = try Listener(address: address, port: port)
        daemons = try zip(loops, handlers).map { loop, handler in
            try Daemon(loop: loop, limits: limits, handler: handler, table: table, budget: budget)
        }
        self.table = table
        self.budget = budget
    }

    /// The port that is bound.
    public var port: UInt16 { listener.port }

    /// How many connections are open now.
    public var connections: Int { table.total }

    /// How many connections were closed as soon as they were made because their place had too many.
    public var connectionsRejectedByAddress: Int { table.rejectedByAddress }

    /// How many connections were closed as soon as they were made because the process had too many.
    public var connectionsRejectedByTotal: Int { table.rejectedByTotal }

    /// How many idle connections were closed to make room for new ones.
    public var connectionsClosedIdle: Int { table.closedIdle }

    /// Bytes of request bodies held now, those not arrived yet included.
    public var heldBodyBytes: Int { budget.reserved }

    /// How many bodies were not read because the process held too many bytes of others.
    public var bodiesRejected: Int { budget.rejections }

    public func start() {
        for daemon in daemons { daemon.loop.submit { daemon.start() } }
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
                    daemon.add(descriptor, from: address, peer)
                } else {
                    daemon.loop.submit { daemon.add(descriptor, from: address, peer) }
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
