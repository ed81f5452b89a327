internal import EventLoop

/// Receives bytes, and notices that the client disconnects.
extension Connection {
    /// Continues with what the socket is ready for.
    func ready(_ readiness: Loop.Readiness) {
        switch phase {
        case .idle, .head: receiveHead()
        case .body(let head): receiveBody(of: head)
        case .sending: sent(output.flush(to: descriptor))
        case .checking, .handling: readyDuringTask(readiness)
        case .closed: break
        }
    }

    func receiveHead() {
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
    func sendInterimResponse() -> Bool {
        var interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        return output.send(&interim, to: descriptor) == .done
    }

    func wait(for readiness: Loop.Readiness) {
        guard let watch, interest != readiness else { return }
        interest = readiness
        server.loop.change(watch, to: readiness)
    }

    func stopWatching() {
        if let watch { server.loop.unwatch(watch) }
        watch = nil
    }

    /// - Parameter step: processes bytes, and returns the number of bytes that it has consumed. Must not change
    ///   ``input``.
    func consumeInput(_ step: (UnsafeRawBufferPointer) -> Int) {
        let previous = input
        input = previous.remaining(afterConsumptionBy: step)
    }
}
