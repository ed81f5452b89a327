internal import CSystem
internal import EventLoop

/// One socket and the request on it, between the library's callbacks and the handler's task.
///
/// Lives on its loop, from the library's word that the connection began to its word that it ended.
final class Connection: @unchecked Sendable {
    private enum Phase {
        /// Nothing of a request has come, as far as the library tells.
        case waiting
        case head
        /// The body may come. A library that was made to wait for this calls again with the head.
        case admitted(ValidatedHead)
        case body(ValidatedHead)
        /// The library has put the connection aside until the task is done: the handler's, or its check of the head.
        case suspended(Task<Void, Never>?)
        case answering
        /// Drained away under the handler's hands; its answer will go nowhere.
        case abandoned
    }

    let descriptor: Int32
    let peer: Peer
    /// Whether the daemon's table still has it.
    var isCounted = true
    private let library: OpaquePointer
    private unowned let daemon: Daemon
    /// Outlives the daemon for handlers that do.
    private let budget: BodyBudget
    private var phase = Phase.waiting
    private var target = ""
    private var body: [UInt8] = []
    /// Of the budget.
    private var reservedBytes = 0
    /// Since when there is no request, while there is none.
    private(set) var waitingSince: ContinuousClock.Instant
    /// When the client must have done what it is expected to do.
    private(set) var deadline: ContinuousClock.Instant?
    /// Whether the client may still be sending what nobody will read.
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

    /// Whether it may be closed to make room.
    var isIdle: Bool { isWaiting && isCounted }

    // MARK: Told by the library

    func targetArrived(_ target: String) {
        self.target = target
        phase = .head
        let headDeadline = ContinuousClock.now + daemon.limits.headDeadline
        deadline = min(deadline ?? headDeadline, headDeadline)
    }

    /// Called once when the head is there, again if its check took time, once per piece of the body, and once when all
    /// is there.
    ///
    /// - Returns: whether the connection may go on.
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

    /// - Parameter inError: whether the library gave up on the request by itself.
    func requestEnded(inError: Bool) {
        // The handler of an abandoned request still has the body.
        if case .abandoned = phase {} else { releaseBody() }
        phase = .waiting
        target = ""
        body = []
        endsEarly = endsEarly || inError
        waitingSince = .now
        deadline = waitingSince + daemon.limits.idleDeadline
    }

    // MARK: Told by the loop

    /// Ends the connection; the library notices by itself.
    func cut() {
        deadline = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Takes the connection back from its handler, so that the daemon can be stopped.
    func abandon() {
        guard case .suspended(let task) = phase else { return }
        phase = .abandoned
        task?.cancel()
        MHD_resume_connection(library)
    }

    // MARK: The way of a request

    private func admit(method: String, version: String) -> Bool {
        let head = Head(
            method: method, target: target, version: version, headers: receivedHeaders(),
            bytes: shim_mhd_head_bytes(library))
        do throws(Refusal) {
            let admitted = try daemon.frontDoor.admit(head)
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
            resume(goingOn: answerEarly(refusal))
        } else if reserve(head.bodyBytes) {
            phase = .admitted(head)
            resume(goingOn: true)
        } else {
            resume(goingOn: answerEarly(overloaded(head)))
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
        let respond = daemon.handler.respond
        suspend()
        phase = .suspended(
            Task(executorPreference: daemon.loop) { [self] in handlerEnded(with: await respond(request)) })
    }

    private func handlerEnded(with response: Response) {
        releaseBody()
        guard case .suspended = phase else { return }
        resume(goingOn: answer(response, closing: daemon.isDraining))
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

    /// - Parameter goesOn: whether the library has what it needs.
    private func resume(goingOn goesOn: Bool) {
        if !goesOn { cut() }
        MHD_resume_connection(library)
        daemon.runAtEndOfPass()
    }

    /// Answers before the body is read, and closes the connection with the answer.
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

/// Without the white space that may follow (RFC 9112 §5.1); what precedes the value the library has skipped.
private func fieldValue(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let last = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return text(start, last.map { $0 + 1 } ?? 0)
}
