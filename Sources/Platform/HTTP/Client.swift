internal import Curl
public import EventLoop

/// The HTTP client of one event loop, based on libcurl. Supports HTTP/1.1 and 2, always verifies certificates, and
/// reuses connections.
///
/// The client does not follow redirects, and ignores proxies, cookies and `.netrc`. Close it before its loop stops.
public actor Client {
    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let limits: ClientLimits
    private let certificateAuthorities: String?
    /// The client has two sets of connections, because an address is checked only when a connection is made. A
    /// connection without restrictions must not be reused for a request that may reach only public addresses. Requests
    /// with http may reach only this machine; they need no third set, because they never reuse connections with https.
    private let unrestricted: Transfers
    private let restricted: Transfers
    private var lastID: UInt64 = 0
    private var isClosed = false

    /// - Parameter certificateAuthorities: a file of PEM certificates to trust instead of the system's.
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

    /// Sends a request and returns the complete response.
    ///
    /// - Throws: ``ClientFault``, or `CancellationError` as soon as the task is cancelled. The server may still process
    ///   a cancelled request.
    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        return try await withTaskCancellationHandler {
            // Calls a method, because this closure is not isolated to the client.
            try await self.response(to: request, id: id)
        } onCancel: {
            // Runs on the loop later, when the transfer has begun.
            loop.submit { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    /// Fails all requests in progress, and every later one, with ``ClientFault/closed``.
    public func close() {
        isClosed = true
        unrestricted.close()
        restricted.close()
    }

    private func response(to request: ClientRequest, id: UInt64) async throws -> ClientResponse {
        guard !isClosed else { throw ClientFault.closed }
        guard unrestricted.count + restricted.count < limits.requests else { throw ClientFault.overloaded }
        let egress = try EgressPolicy(of: request)
        let exchange = try ClientExchange(
            request, id: id, egress: egress, limits: limits, certificateAuthorities: certificateAuthorities)
        return try await withCheckedThrowingContinuation { continuation in
            exchange.continuation = continuation
            (egress == .publicAddresses ? restricted : unrestricted).begin(exchange)
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
