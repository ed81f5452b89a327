internal import EventLoop

/// The socket of one client, with the state of its current request.
///
/// Used only on its event loop. Answers requests in order, and does not read from the socket while it processes a
/// request. An idle connection has no buffers.
final class Connection: @unchecked Sendable {
    enum Phase {
        /// No byte of a request has arrived.
        case idle
        /// A part of a head has arrived.
        case head
        /// A task checks the head, before the body is read.
        case checking(Task<Void, Never>)
        case body(ValidatedHead)
        /// A task runs the handler.
        case handling(Task<Void, Never>)
        /// The kernel has not accepted the whole response.
        case sending
        case closed
    }

    let descriptor: Int32
    let peer: Peer
    /// The index in the server's list of connections.
    var index = 0
    /// When the connection began to wait for the current or next request.
    var waitingSince: ContinuousClock.Instant
    /// The deadline of the client's next action; `nil` while the server is processing a request.
    var deadline: ContinuousClock.Instant?

    let server: LoopServer
    let presence = ClientPresence()
    /// `nil` when closed, and when the client has disconnected while a task runs.
    var watch: Loop.Watch?
    var interest = Loop.Readiness.readable
    var phase = Phase.idle
    var parser = RequestHeadParser()
    var framing: ResponseFraming?
    var input = PendingInput()
    var output = PendingOutput()
    var body = BodyReader(.bytes(0), limit: 0)
    /// The number of bytes reserved in the ``BodyBudget``.
    var reservedBytes = 0

    init(_ descriptor: Int32, to peer: Peer, of server: LoopServer) {
        self.descriptor = descriptor
        self.peer = peer
        self.server = server
        waitingSince = server.loop.iterationStart
        deadline = waitingSince + server.limits.headDeadline
    }
}

extension Connection {
    /// Whether no request is in progress.
    var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// - Throws: ``SystemError`` if the kernel refuses the descriptor.
    func start() throws {
        watch = try server.loop.watch(descriptor, for: interest) { [self] in ready($0) }
    }

    /// Closes an idle connection, unless bytes of a request have arrived: then reads them.
    func closeUnlessRequested() {
        receiveHead()
        if isIdle { close() }
    }

    /// Closes the connection. Cancels the task of a request in progress, and discards its response.
    func close() { end(lingering: false) }

    /// - Parameter lingering: whether the server still reads what the client sends, so that the client gets the
    ///   response.
    func end(lingering: Bool) {
        switch phase {
        case .closed: return
        // A cancelled handler still uses its body; see `handlerEnded`. A checked request has no body yet.
        case .checking(let task), .handling(let task): task.cancel()
        case .idle, .head, .body, .sending: releaseBody()
        }
        phase = .closed
        presence.end()
        deadline = nil
        stopWatching()
        server.ended(self, lingering: lingering)
    }
}
