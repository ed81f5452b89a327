internal import CSystem
public import EventLoop

/// An HTTP/1.1 server that runs on several event loops and has a listener for each of its addresses.
///
/// A connection and the tasks of its requests stay on one loop. The server supports neither TLS nor HTTP/2; a proxy
/// must provide them.
public final class Server: Sendable {
    private let loopServers: [LoopServer]
    /// All have the same port.
    private let listeners: [Listener]
    private let table: ConnectionTable
    private let budget: BodyBudget

    /// Binds the address; ``start()`` accepts connections.
    ///
    /// - Parameters:
    ///   - address: numeric IPv4 or IPv6; "::" accepts both.
    ///   - furtherAddresses: addresses with the same port. An IPv6 loopback address is skipped if the machine has none.
    ///   - port: 0 for any free port.
    ///   - handlers: one per loop, in the same order.
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public init(
        loops: [Loop], address: String, furtherAddresses: [String] = [], port: UInt16, limits: Limits = Limits(),
        handlers: [RequestHandler]
    ) throws {
        precondition(!loops.isEmpty && loops.count == handlers.count, "expected loops and one handler for each")
        let table = ConnectionTable(limits: limits)
        let budget = BodyBudget(bytes: limits.bodyBudgetBytes)
        listeners = try Listener.all(at: address, furtherAddresses, port: port)
        loopServers = zip(loops, handlers).map { loop, handler in
            LoopServer(loop: loop, limits: limits, handler: handler, table: table, budget: budget)
        }
        self.table = table
        self.budget = budget
    }

    /// Binds an address and releases it.
    ///
    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    public static func requireFree(address: String, port: UInt16) throws(SystemError) {
        _ = try Listener(address: address, port: port)
    }

    /// The bound port.
    public var port: UInt16 { listeners[0].port }

    /// The number of open connections.
    public var connections: Int { table.total }

    /// The number of connections that were closed at once because their network had too many.
    public var connectionsRejectedAtNetworkLimit: Int { table.rejectedAtNetworkLimit }

    /// The number of connections that were closed at once because the process had too many.
    public var connectionsRejectedAtTotalLimit: Int { table.rejectedAtTotalLimit }

    /// The number of idle connections that were closed to allow new ones.
    public var connectionsClosedIdle: Int { table.closedIdle }

    /// The bytes reserved for request bodies, including announced bytes that have not arrived.
    public var reservedBodyBytes: Int { budget.reserved }

    /// The number of bodies that were not read because they exceeded a quarter of the free bytes of the budget.
    public var bodiesRejected: Int { budget.rejections }

    /// Starts to accept connections.
    public func start() {
        let acceptor = loopServers[0].loop
        acceptor.submit { [listeners, loopServers, table] in
            var turn = 0
            func deliver(_ descriptor: Int32, _ address: SocketAddress) {
                guard let peer = table.admit(address) else {
                    close(descriptor)
                    return
                }
                let loopServer = loopServers[turn]
                turn = (turn + 1) % loopServers.count
                if loopServer.loop.isCurrent {
                    loopServer.add(descriptor, peer)
                } else {
                    loopServer.loop.submit { loopServer.add(descriptor, peer) }
                }
            }
            for listener in listeners { listener.start(on: acceptor, deliver: deliver) }
        }
    }

    /// From now on, every response closes its connection, so that clients and proxies open the next one to another
    /// server. New connections are still accepted.
    public func closeConnectionsAfterResponses() {
        for loopServer in loopServers { loopServer.loop.submit { loopServer.closeAfterResponses() } }
    }

    /// Shuts down in this order: stops accepting, closes idle connections, and answers requests in progress with
    /// `Connection: close`. After `limit`, running requests are cancelled and their connections closed.
    ///
    /// The server cannot be started again. Its loops must run until this function returns, and until cancelled
    /// handlers have ended.
    ///
    /// - Returns: the number of requests that were cut off at `limit`.
    @discardableResult
    public func drain(within limit: Duration) async -> Int {
        let end = ContinuousClock.now + limit
        await Task(executorPreference: loopServers[0].loop) { [listeners, loop = loopServers[0].loop] in
            for listener in listeners { listener.close(on: loop) }
        }.value
        return await withTaskGroup(of: Int.self) { group in
            for loopServer in loopServers {
                group.addTask(executorPreference: loopServer.loop) { await loopServer.drain(until: end) }
            }
            return await group.reduce(0, +)
        }
    }
}
