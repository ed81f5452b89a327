internal import CSystem
internal import EventLoop

/// The socket of one client, with the state of its current request.
///
/// Used only on its event loop. Answers requests in order, and does not read from the socket while it processes a
/// request. An idle connection has no buffers.
final class Connection: @unchecked Sendable {
    private enum Phase {
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
    private(set) var waitingSince: ContinuousClock.Instant
    /// The deadline of the client's next action; `nil` while the server is processing a request.
    private(set) var deadline: ContinuousClock.Instant?

    private let server: LoopServer
    private let presence = ClientPresence()
    /// `nil` when closed, and when the client has disconnected while a task runs.
    private var watch: Loop.Watch?
    private var interest = Loop.Readiness.readable
    private var phase = Phase.idle
    private var parser = RequestHeadParser()
    private var framing: ResponseFraming?
    private var input = PendingInput()
    private var output = PendingOutput()
    private var body = BodyReader(.bytes(0), limit: 0)
    /// The number of bytes reserved in the ``BodyBudget``.
    private var reservedBytes = 0

    init(_ descriptor: Int32, to peer: Peer, of server: LoopServer) {
        self.descriptor = descriptor
        self.peer = peer
        self.server = server
        waitingSince = server.loop.iterationStart
        deadline = waitingSince + server.limits.headDeadline
    }

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

    // MARK: Events of the socket

    private func ready(_ readiness: Loop.Readiness) {
        switch phase {
        case .idle, .head: receiveHead()
        case .body(let head): receiveBody(of: head)
        case .sending: sent(output.flush(to: descriptor))
        case .checking, .handling: readyDuringTask(readiness)
        case .closed: break
        }
    }

    private func receiveHead() {
        switch server.receiveBuffer.receive(from: descriptor, atMost: server.limits.headBytes - input.count) {
        case .nothing: break
        case .ended: close()
        case .bytes(let bytes) where input.isEmpty:
            let used = beginRequest(bytes)
            input.append(UnsafeRawBufferPointer(rebasing: bytes[used...]))
        case .bytes(let bytes):
            input.append(bytes)
            consumeInput(beginRequest)
        }
    }

    private func receiveBody(of head: ValidatedHead) {
        switch server.receiveBuffer.receive(from: descriptor, atMost: body.remainingInput) {
        case .nothing: break
        case .ended: close()
        case .bytes(let bytes):
            let used = readBody(of: head, bytes)
            input.append(UnsafeRawBufferPointer(rebasing: bytes[used...]))
        }
    }

    /// Notices that the client disconnects. The loop reports an event in every iteration until the connection no longer
    /// waits for it.
    private func readyDuringTask(_ readiness: Loop.Readiness) {
        guard readiness.isDisjoint(with: .failed) else {
            presence.end()
            return stopWatching()
        }
        guard readiness.contains(.endOfInput) else { return wait(for: .endOfInput) }
        wait(for: [])
        guard framing?.isHTTP10 == false, !sendInterimResponse() else { return }
        presence.end()
        stopWatching()
    }

    /// Sends a response that a client reads and ignores, whether or not it expects one (RFC 9110 §15.2). If the client
    /// has closed its connection, this causes a reset, of which the loop reports an event.
    ///
    /// The socket's buffer is empty, because all earlier responses have been sent.
    ///
    /// - Returns: `false` if the connection failed.
    private func sendInterimResponse() -> Bool {
        var interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        return output.send(&interim, to: descriptor) == .done
    }

    private func wait(for readiness: Loop.Readiness) {
        guard let watch, interest != readiness else { return }
        interest = readiness
        server.loop.change(watch, to: readiness)
    }

    private func stopWatching() {
        if let watch { server.loop.unwatch(watch) }
        watch = nil
    }

    // MARK: The request

    /// - Parameter step: processes bytes, and returns the number of bytes that it has consumed. Must not change
    ///   ``input``.
    private func consumeInput(_ step: (UnsafeRawBufferPointer) -> Int) {
        let previous = input
        input = previous.remaining(afterConsumptionBy: step)
    }

    /// Processes a request if its head is complete.
    ///
    /// - Returns: the number of bytes that it has consumed.
    private func beginRequest(_ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(RequestRejection) {
            guard let (head, count) = try parser.parse(bytes, limits: server.limits) else {
                waitForHead()
                return 0
            }
            framing = ResponseFraming(head)
            return count + validate(head, UnsafeRawBufferPointer(rebasing: bytes[count...]))
        } catch {
            if framing == nil { framing = ResponseFraming(rejected: bytes) }
            answerEarly(server.handler.headRejected(error))
            return bytes.count
        }
    }

    /// Begins to read the body, or to check the head.
    ///
    /// - Parameter bytes: the bytes after the head.
    /// - Returns: the number of these bytes that it has consumed.
    private func validate(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(BodyRejection) {
            let validated = try server.handler.validate(head, within: server.limits)
            guard let check = validated.check else { return beginBody(of: validated, bytes) }
            checkHead(validated, with: check)
            return 0
        } catch {
            reject(head, error)
            return bytes.count
        }
    }

    private func waitForHead() {
        if case .idle = phase {
            phase = .head
            let headDeadline = server.loop.iterationStart + server.limits.headDeadline
            deadline = min(deadline ?? headDeadline, headDeadline)
        }
        wait(for: .readable)
    }

    private func checkHead(_ head: ValidatedHead, with check: @escaping @Sendable (Request) async -> Response?) {
        let request = request(head.head)
        deadline = nil
        phase = .checking(
            Task(executorPreference: server.loop) { [self] in checkEnded(of: head, with: await check(request)) })
    }

    /// - Parameter refusal: `nil` if the body may be read.
    private func checkEnded(of head: ValidatedHead, with refusal: Response?) {
        guard case .checking = phase else { return }
        guard watch != nil else { return close() }
        if let refusal { answerEarly(refusal) } else { consumeInput { beginBody(of: head, $0) } }
    }

    /// Reads the part of the body that has arrived.
    ///
    /// - Returns: the number of bytes that it has consumed.
    private func beginBody(of head: ValidatedHead, _ bytes: UnsafeRawBufferPointer) -> Int {
        body = BodyReader(head.bodyLength, limit: head.bodyLimit)
        let used = readBody(of: head, bytes)
        switch phase {
        case .idle, .head, .checking: waitForBody(of: head, isUntouched: used == 0)
        case .body, .handling, .sending, .closed: break
        }
        return used
    }

    /// Reserves memory for bytes of the body and stores them. Runs the handler if the body is complete.
    ///
    /// - Returns: the number of bytes that it has consumed.
    private func readBody(of head: ValidatedHead, _ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(BodyRejection) {
            try reserve(body.memoryNeeded(for: bytes.count, reserved: reservedBytes) - reservedBytes)
            let used = try body.read(bytes)
            if body.isComplete { try runHandler(for: head) }
            return used
        } catch {
            reject(head.head, error)
            return bytes.count
        }
    }

    private func reserve(_ bytes: Int) throws(BodyRejection) {
        guard server.budget.reserve(bytes) else { throw .overloaded }
        reservedBytes += max(0, bytes)
    }

    /// - Returns: `nil` if the body is not encoded.
    private func encodedBody(of head: ValidatedHead) throws(BodyRejection) -> GzipBody? {
        guard head.contentCoding == .gzip else { return nil }
        let encoded = try GzipBody(body.content)
        guard encoded.contentSize <= head.bodyLimit else { throw .tooLarge }
        try reserve(encoded.contentSize)
        return encoded
    }

    private func waitForBody(of head: ValidatedHead, isUntouched: Bool) {
        phase = .body(head)
        deadline = server.loop.iterationStart + server.limits.bodyDeadline
        wait(for: .readable)
        guard head.head.framing.expectsContinue, isUntouched else { return }
        if !sendInterimResponse() { close() }
    }

    private func runHandler(for head: ValidatedHead) throws(BodyRejection) {
        let (received, encoded) = (body.content, try encodedBody(of: head))
        body = BodyReader(.bytes(0), limit: 0)
        deadline = nil
        phase = .handling(
            Task(executorPreference: server.loop) { [self] in
                do throws(BodyRejection) {
                    let content = try await encoded?.decoded() ?? received
                    handlerEnded(with: await head.respond(request(head.head, content)))
                } catch {
                    decodingFailed(head.head, error)
                }
            })
    }

    private func decodingFailed(_ head: RequestHead, _ rejection: BodyRejection) {
        releaseBody()
        guard case .handling = phase else { return }
        reject(head, rejection)
    }

    private func request(_ head: RequestHead, _ content: [UInt8] = []) -> Request {
        Request(
            id: server.nextRequestID(), method: head.method, path: head.target.path, query: head.target.query,
            headers: head.headers, body: content, peer: peer.address, presence: presence)
    }

    private func reject(_ head: RequestHead, _ rejection: BodyRejection) {
        answerEarly(server.handler.rejected(rejection, request(head)))
    }

    private func releaseBody() {
        server.budget.release(reservedBytes)
        reservedBytes = 0
        body = BodyReader(.bytes(0), limit: 0)
    }

    // MARK: The response

    private func handlerEnded(with response: Response) {
        releaseBody()
        guard case .handling = phase else { return }
        if server.phase != .serving { closeAfterResponse() }
        answer(response)
    }

    /// Answers before the request has been read, and closes the connection.
    private func answerEarly(_ response: Response) {
        closeAfterResponse()
        answer(response)
    }

    private func closeAfterResponse() {
        framing?.closes = true
        framing?.lingers = true
    }

    private func answer(_ response: Response) {
        guard watch != nil, let framing else { return close() }
        phase = .sending
        deadline = nil
        if server.encode(response, framing) {
            let body = ResponseEncoder.sharedBody(of: response, framing)
            return sent(output.send(&server.encodedResponse, then: body, to: descriptor))
        }
        closeAfterResponse()
        answer(.text(status: 500, "Internal server error"))
    }

    private func sent(_ outcome: PendingOutput.Outcome) {
        switch outcome {
        case .failed: close()
        case .waiting:
            // `bodyDeadline` is also the time limit for sending a response.
            if deadline == nil { deadline = server.loop.iterationStart + server.limits.bodyDeadline }
            wait(for: .writable)
        case .done:
            output.removeAll()
            if let framing, framing.closes { end(lingering: framing.lingers) } else { waitForRequest() }
        }
    }

    private func waitForRequest() {
        phase = .idle
        framing = nil
        waitingSince = server.loop.iterationStart
        deadline = waitingSince + server.limits.idleDeadline
        if !input.isEmpty { consumeInput(beginRequest) }
        if isIdle { wait(for: .readable) }
    }

    private func end(lingering: Bool) {
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
