internal import Curl
public import EventLoop

/// Outbound HTTP of one loop, on top of libcurl: HTTP/1.1 or 2, certificates always verified, connections kept.
///
/// It follows no redirect, and knows no proxy, cookie or `.netrc`, whatever the environment says. Close it before its
/// loop stops.
public actor Client {
    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let limits: ClientLimits
    private let certificateAuthorities: String?
    /// Two sets of connections, since an address is checked only when a connection is made: one made under the looser
    /// rule must not be used again under the strict one.
    private let unrestricted: Transfers
    private let restricted: Transfers
    private var lastID: UInt64 = 0
    private var isClosed = false

    /// - Parameter certificateAuthorities: a file of PEM certificates to believe instead of the system's.
    /// - Throws: ``SystemError`` when the process is out of memory or descriptors.
    public init(
        loop: Loop, limits: ClientLimits = ClientLimits(), certificateAuthorities: String? = nil
    ) throws {
        self.loop = loop
        self.limits = limits
        self.certificateAuthorities = certificateAuthorities
        unrestricted = try Transfers(loop: loop, within: limits)
        restricted = try Transfers(loop: loop, within: limits)
    }

    /// - Throws: ``ClientFault``, or `CancellationError` as soon as the task is cancelled: the request may then still
    ///   have been carried out.
    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        return try await withTaskCancellationHandler {
            // By way of a method, for this closure itself is not isolated to the client: it does not capture it.
            try await self.answer(to: request, id: id)
        } onCancel: {
            // In a later pass of the loop: by then the transfer has begun for sure.
            loop.submit { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    /// Fails what is under way, and every later request, with ``ClientFault/closed``.
    public func close() {
        isClosed = true
        unrestricted.close()
        restricted.close()
    }

    private func answer(to request: ClientRequest, id: UInt64) async throws -> ClientResponse {
        guard !isClosed else { throw ClientFault.closed }
        guard unrestricted.count + restricted.count < limits.requests else { throw ClientFault.overloaded }
        let reach = try EgressPolicy(of: request)
        let exchange = try ClientExchange(
            request, id: id, reach: reach, limits: limits, certificateAuthorities: certificateAuthorities)
        return try await withCheckedThrowingContinuation { continuation in
            exchange.continuation = continuation
            (reach == .publicAddresses ? restricted : unrestricted).begin(exchange)
        }
    }

    private func cancel(_ id: UInt64) {
        unrestricted.cancel(id)
        restricted.cancel(id)
    }
}

extension Transfers {
    fileprivate convenience init(loop: Loop, within limits: ClientLimits) throws(SystemError) {
        try self.init(
            loop: loop, connections: limits.connections, connectionsPerHost: limits.connectionsPerHost,
            idleConnections: limits.idleConnections)
    }
}
