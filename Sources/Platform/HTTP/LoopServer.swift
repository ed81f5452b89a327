internal import CSystem
internal import Encoding
internal import EventLoop

/// The part of a ``Server`` that runs on one event loop, with its connections. Used only on that loop.
final class LoopServer: @unchecked Sendable {
    /// The maximum number of bytes that one call reads from a socket.
    private static let receiveBufferBytes = 64 * 1024
    /// The buffer of a larger response is freed instead of reused.
    private static let retainedBufferBytes = 64 * 1024

    enum Phase {
        case serving
        /// New connections and requests are still accepted, but every response closes its connection.
        case closingAfterResponses
        /// New connections are closed, and open ones as soon as they are idle.
        case draining
    }

    let loop: Loop
    let limits: Limits
    let handler: RequestHandler
    let budget: BodyBudget
    let receiveBuffer = ReceiveBuffer(capacity: receiveBufferBytes)
    /// The latest encoded response. Its memory is reused for the next one.
    var encodedResponse: [UInt8] = []
    private(set) var phase = Phase.serving
    private let table: ConnectionTable
    private var encoder = ResponseEncoder()
    private var requestIDs = RequestIDs()
    private var connections: [Connection] = []
    /// By descriptor.
    private var lingering: [Int32: LingeringClose] = [:]
    private var nextDeadlineCheck: Loop.Timer?

    init(loop: Loop, limits: Limits, handler: RequestHandler, table: ConnectionTable, budget: BodyBudget) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        self.table = table
        self.budget = budget
    }

    /// Serves a new connection. Closes it if the server is draining or has too many connections.
    ///
    /// - Parameter peer: already counted in the ``ConnectionTable``.
    func add(_ descriptor: Int32, _ peer: Peer) {
        guard phase != .draining else {
            close(descriptor)
            table.remove(peer)
            return
        }
        if table.isNearlyFull { closeLongestIdle() }
        guard table.keepWithinTotalLimit(peer) else {
            close(descriptor)
            return
        }
        let connection = Connection(descriptor, to: peer, of: self)
        do {
            try connection.start()
        } catch {
            close(descriptor)
            table.remove(peer)
            return
        }
        connection.index = connections.count
        connections.append(connection)
        scheduleDeadlineCheck()
    }

    /// Closes the connections of this loop that have been idle longest. Closes several at once, because the search is
    /// too expensive for every new connection.
    private func closeLongestIdle() {
        let idle = connections.filter(\.isIdle).sorted { $0.waitingSince < $1.waitingSince }
        for connection in idle.prefix(max(1, limits.connections / 256)) {
            table.countClosedIdle()
            connection.close()
        }
    }

    /// Makes every response close its connection.
    func closeAfterResponses() {
        if phase == .serving { phase = .closingAfterResponses }
    }

    /// Closes connections as they become idle, until none is left or `end` is reached. Then closes the remaining ones.
    /// An idle connection on which a request has already arrived is not closed before the response.
    ///
    /// - Returns: the number of requests that were cut off because `end` was reached.
    func drain(until end: ContinuousClock.Instant) async -> Int {
        loop.checkIsolated()
        phase = .draining
        while !connections.isEmpty, .now < end {
            for connection in connections where connection.isIdle { connection.closeUnlessRequested() }
            do { try await loop.sleep(for: .milliseconds(5)) } catch { break }
        }
        let cutOff = connections.count { !$0.isIdle }
        for connection in connections { connection.close() }
        for connection in lingering.values { connection.close() }
        if let nextDeadlineCheck { loop.cancel(nextDeadlineCheck) }
        return cutOff
    }

    // MARK: Used by connections

    func nextRequestID() -> String { requestIDs.next() }

    /// Writes a response to ``encodedResponse``.
    ///
    /// - Returns: whether the response is valid.
    func encode(_ response: Response, _ framing: ResponseFraming) -> Bool {
        if encodedResponse.capacity > Self.retainedBufferBytes { encodedResponse = [] }
        return encoder.encode(response, framing, into: &encodedResponse)
    }

    /// Closes the descriptor of a connection that has ended: at once, or after a ``LingeringClose``. At most 256
    /// descriptors of a loop linger at one time.
    func ended(_ connection: Connection, lingering lingers: Bool) {
        let last = connections.removeLast()
        if last !== connection {
            last.index = connection.index
            connections[connection.index] = last
        }
        table.remove(connection.peer)
        guard lingers, lingering.count < 256 else {
            close(connection.descriptor)
            return
        }
        shutdown(connection.descriptor, Int32(SHUT_WR))
        let close = LingeringClose(of: connection.descriptor, on: loop) { [unowned self] in lingering[$0] = nil }
        if let close { lingering[close.descriptor] = close }
    }

    // MARK: Deadlines

    /// One timer for all connections: deadlines change several times per request and need no precision.
    private func scheduleDeadlineCheck() {
        guard nextDeadlineCheck == nil, !connections.isEmpty else { return }
        let shortest = min(limits.headDeadline, limits.bodyDeadline, limits.idleDeadline)
        nextDeadlineCheck = loop.schedule(after: max(.milliseconds(10), min(.seconds(1), shortest / 4))) { [self] in
            nextDeadlineCheck = nil
            let now = loop.iterationStart
            for connection in connections {
                if let deadline = connection.deadline, deadline <= now { connection.close() }
            }
            scheduleDeadlineCheck()
        }
    }
}

/// Generates request IDs. One system call provides the random bytes of sixteen IDs.
struct RequestIDs {
    private static let batchBytes = 256

    private var random = [UInt8](repeating: 0, count: batchBytes)
    private var used = batchBytes

    mutating func next() -> String {
        if used == Self.batchBytes {
            precondition(getentropy(&random, Self.batchBytes) == 0, "getentropy failed")
            used = 0
        }
        defer { used += 16 }
        return Hexadecimal.encode(random[used..<used + 16])
    }
}
