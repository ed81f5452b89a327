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
        case body(AdmittedHead)
        /// The library has put the connection aside until the handler's task is done.
        case running(Task<Void, Never>?)
        case answering
        /// Drained away under the handler's hands; its answer will go nowhere.
        case abandoned
    }

    let descriptor: Int32
    private let library: OpaquePointer
    private unowned let daemon: Daemon
    private let peer: String
    private var phase = Phase.waiting
    private var target = ""
    private var body: [UInt8] = []
    /// When the client must have done what it is expected to do.
    private(set) var deadline: ContinuousClock.Instant?
    /// Whether the client may still be sending what nobody will read.
    private(set) var endsEarly = false

    init(_ library: OpaquePointer, of daemon: Daemon) {
        self.library = library
        self.daemon = daemon
        descriptor = shim_mhd_descriptor(library)
        peer = SocketAddress.numeric(shim_mhd_peer(library))
        deadline = .now + daemon.limits.headDeadline
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    // MARK: Told by the library

    func targetArrived(_ target: String) {
        self.target = target
        phase = .head
        let headDeadline = ContinuousClock.now + daemon.limits.headDeadline
        deadline = min(deadline ?? headDeadline, headDeadline)
    }

    /// Called once when the head is there, once per piece of the body, and once when all is there.
    ///
    /// - Returns: whether the connection may go on.
    func receive(method: String, version: String, piece: UnsafeRawBufferPointer) -> Bool {
        switch phase {
        case .head:
            return admit(method: method, version: version)
        case .body(let head) where piece.isEmpty:
            run(head)
            return true
        case .body(let head):
            body.append(contentsOf: piece)
            return body.count <= head.bodyBytes
        case .waiting, .running, .answering, .abandoned:
            return false
        }
    }

    /// - Parameter inError: whether the library gave up on the request by itself.
    func requestEnded(inError: Bool) {
        phase = .waiting
        target = ""
        body = []
        endsEarly = endsEarly || inError
        deadline = .now + daemon.limits.idleDeadline
    }

    // MARK: Told by the loop

    /// Ends the connection; the library notices by itself.
    func cut() {
        deadline = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Takes the connection back from its handler, so that the daemon can be stopped.
    func abandon() {
        guard case .running(let task) = phase else { return }
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
            body.reserveCapacity(min(admitted.bodyBytes, 64 * 1024))
            deadline = .now + daemon.limits.bodyDeadline
            phase = .body(admitted)
            return true
        } catch {
            endsEarly = true
            return answer(error.response)
        }
    }

    private func run(_ head: AdmittedHead) {
        let request = Request(
            id: daemon.nextRequestID(), method: head.method, path: head.path, query: head.query,
            headers: head.headers, body: body, peer: peer)
        body = []
        deadline = nil
        MHD_suspend_connection(library)
        phase = .running(nil)
        let handler = daemon.handler
        let task = Task(executorPreference: daemon.loop) { [self] in
            handlerEnded(with: await handler(request))
        }
        phase = .running(task)
    }

    private func handlerEnded(with response: Response) {
        guard case .running = phase else { return }
        _ = answer(response)
        MHD_resume_connection(library)
        daemon.runAtEndOfPass()
    }

    private func answer(_ response: Response) -> Bool {
        phase = .answering
        deadline = .now + daemon.limits.bodyDeadline
        return queue(response, on: library, closing: daemon.isDraining)
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
