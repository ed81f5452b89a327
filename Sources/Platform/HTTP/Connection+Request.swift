internal import EventLoop

/// Reads the request, and runs the handler.
extension Connection {
    /// Processes a request if its head is complete.
    ///
    /// - Returns: the number of bytes that it has consumed.
    func beginRequest(_ bytes: UnsafeRawBufferPointer) -> Int {
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
    func readBody(of head: ValidatedHead, _ bytes: UnsafeRawBufferPointer) -> Int {
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

    func releaseBody() {
        server.budget.release(reservedBytes)
        reservedBytes = 0
        body = BodyReader(.bytes(0), limit: 0)
    }
}
