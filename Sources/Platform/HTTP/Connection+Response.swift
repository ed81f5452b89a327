internal import EventLoop

/// Sends the response.
extension Connection {
    func handlerEnded(with response: Response) {
        releaseBody()
        guard case .handling = phase else { return }
        if server.phase != .serving { closeAfterResponse() }
        answer(response)
    }

    /// Answers before the request has been read, and closes the connection.
    func answerEarly(_ response: Response) {
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

    func sent(_ outcome: PendingOutput.Outcome) {
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
}
