internal import CSystem
internal import EventLoop

/// One socket and its current request, between the library's callbacks and the handler's task.
///
/// Used on its loop only, from the library's start notification to its end notification.
final class Connection: @unchecked Sendable {
    private enum Phase {
        /// No part of a request has arrived.
        case waiting
        case head
        /// The body may arrive. After a suspension the library repeats the callback for the head.
        case admitted(ValidatedHead)
        case body(ValidatedHead)
        /// Suspended until a task has finished: the handler, or the check of the head.
        case suspended(Task<Void, Never>?)
        case answering
        /// The daemon was stopped while the handler ran; its answer is discarded.
        case abandoned
    }

    let descriptor: Int32
    let peer: Peer
    /// Whether the connection is still counted in ``ConnectionTable``.
    var isCounted = true
    private let library: OpaquePointer
    private unowned let daemon: Daemon
    /// Handlers can outlive the daemon, and need the budget.
    private let budget: BodyBudget
    private var phase = Phase.waiting
    private var target = ""
    private var body: [UInt8] = []
    /// Bytes reserved from the budget.
    private var reservedBytes = 0
    /// When the connection began to wait for a request.
    private(set) var waitingSince: ContinuousClock.Instant
    /// The deadline of the client's next action.
    private(set) var deadline: ContinuousClock.Instant?
    /// Whether the client may still be sending bytes that will not be read.
    private(set) var endsEarly = false

    init(_ library: OpaquePointer, _ descriptor: Int32, to peer: Peer, of daemon: Daemon) {
        self.library = library
        self.descriptor = descriptor
        self.peer = peer
        self.daemon = daemon
        budget = daemon.budget
        waitingSince = .now
        deadline = waitingSince + daemon.limits.headDeadline
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    /// Whether it may be closed to make room for another.
    var isIdle: Bool { isWaiting && isCounted }

    // MARK: Callbacks of the library

    func targetArrived(_ target: String) {
        self.target = target
        phase = .head
        let headDeadline = ContinuousClock.now + daemon.limits.headDeadline
        deadline = min(deadline ?? headDeadline, headDeadline)
    }

    /// Called once with the head, again if its check suspended the connection, once per piece of the body, and once at
    /// the end of the body.
    ///
    /// - Returns: whether the connection continues.
    func receive(method: String, version: String, piece: UnsafeRawBufferPointer) -> Bool {
        switch phase {
        case .head:
            return admit(method: method, version: version)
        case .admitted(let head):
            phase = .body(head)
            return piece.isEmpty || receive(method: method, version: version, piece: piece)
        case .body(let head) where piece.isEmpty:
            run(head)
            return true
        case .body(let head):
            body.append(contentsOf: piece)
            return body.count <= head.bodyBytes
        case .waiting, .suspended, .answering, .abandoned:
            return false
        }
    }

    /// - Parameter inError: whether the library aborted the request.
    func requestEnded(inError: Bool) {
        // The handler of an abandoned request still holds the body.
        if case .abandoned = phase {} else { releaseBody() }
        phase = .waiting
        target = ""
        body = []
        endsEarly = endsEarly || inError
        waitingSince = .now
        deadline = waitingSince + daemon.limits.idleDeadline
    }

    // MARK: Called by the daemon

    /// Shuts the socket down; the library notices and ends the connection.
    func terminate() {
        deadline = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Detaches the connection from its handler, so that the daemon can be stopped.
    func abandon() {
        guard case .suspended(let task) = phase else { return }
        phase = .abandoned
        task?.cancel()
        MHD_resume_connection(library)
    }

    // MARK: Processing

    private func admit(method: String, version: String) -> Bool {
        let head = Head(
            method: method, target: target, version: version, headers: receivedHeaders(),
            bytes: shim_mhd_head_bytes(library))
        do throws(RequestRejection) {
            let admitted = try daemon.headValidator.validate(head)
            if let check = admitted.check {
                checkHead(admitted, with: check)
                return true
            }
            guard reserve(admitted.bodyBytes) else { return answerEarly(overloaded(admitted)) }
            phase = .body(admitted)
            return true
        } catch {
            return answerEarly(error.response)
        }
    }

    private func checkHead(_ head: ValidatedHead, with check: @escaping @Sendable (Request) async -> Response?) {
        let request = request(head)
        suspend()
        phase = .suspended(
            Task(executorPreference: daemon.loop) { [self] in checkEnded(of: head, with: await check(request)) })
    }

    /// - Parameter refusal: `nil` if the body may be read.
    private func checkEnded(of head: ValidatedHead, with refusal: Response?) {
        guard case .suspended = phase else { return }
        if let refusal {
            resume(continuing: answerEarly(refusal))
        } else if reserve(head.bodyBytes) {
            phase = .admitted(head)
            resume(continuing: true)
        } else {
            resume(continuing: answerEarly(overloaded(head)))
        }
    }

    private func reserve(_ bytes: Int) -> Bool {
        guard budget.reserve(bytes) else { return false }
        reservedBytes = bytes
        body.reserveCapacity(bytes)
        deadline = .now + daemon.limits.bodyDeadline
        return true
    }

    private func releaseBody() {
        budget.release(reservedBytes)
        reservedBytes = 0
    }

    private func run(_ head: ValidatedHead) {
        let request = request(head)
        body = []
        suspend()
        phase = .suspended(
            Task(executorPreference: daemon.loop) { [self] in handlerEnded(with: await head.respond(request)) })
    }

    private func handlerEnded(with response: Response) {
        releaseBody()
        guard case .suspended = phase else { return }
        resume(continuing: answer(response, closing: daemon.isDraining))
    }

    private func request(_ head: ValidatedHead) -> Request {
        Request(
            id: daemon.nextRequestID(), method: head.method, path: head.path, query: head.query,
            headers: head.headers, body: body, peer: peer.address)
    }

    private func overloaded(_ head: ValidatedHead) -> Response { daemon.handler.overloaded(request(head)) }

    private func suspend() {
        deadline = nil
        MHD_suspend_connection(library)
        phase = .suspended(nil)
    }

    /// - Parameter continuing: `false` ends the connection.
    private func resume(continuing: Bool) {
        if !continuing { terminate() }
        MHD_resume_connection(library)
        daemon.runAtEndOfPass()
    }

    /// Answers before the body has been read, and closes the connection.
    private func answerEarly(_ response: Response) -> Bool {
        endsEarly = true
        return answer(response, closing: true)
    }

    private func answer(_ response: Response, closing: Bool) -> Bool {
        phase = .answering
        deadline = .now + daemon.limits.bodyDeadline
        return queue(response, on: library, closing: closing)
            || queue(.text(status: 500, "Internal server error"), on: library, closing: true)
    }

    private func receivedHeaders() -> Headers {
        var headers = Headers()
        _ = withUnsafeMutablePointer(to: &headers) { pointer in
            MHD_get_connection_values_n(
                library, .HEADER_KIND,
                { context, _, name, nameBytes, value, valueBytes in
                    let headers = context?.assumingMemoryBound(to: Headers.self)
                    headers?.pointee.add(text(name, nameBytes), fieldValue(value, valueBytes))
                    return .YES
                }, pointer)
        }
        return headers
    }
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}

/// Removes trailing white space (RFC 9112 §5.1); the library has removed leading white space.
private func fieldValue(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let last = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return text(start, last.map { $0 + 1 } ?? 0)
}
