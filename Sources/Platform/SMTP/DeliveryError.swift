internal import CSystem
internal import Curl

extension DeliveryResult {
    /// Only what is said of the recipient or of the message is for good: everything else, a refused sender or password
    /// included, is the operator's to put right while the mail waits.
    ///
    /// - Parameters:
    ///   - step: the last that we took.
    ///   - status: the last that the server said.
    init(_ code: CURLcode, after step: Step, status: Int) {
        switch code {
        case CURLE_OK: self = .accepted
        case CURLE_COULDNT_RESOLVE_HOST: self = .refusedForNow(.unknownHost)
        case CURLE_COULDNT_CONNECT: self = .refusedForNow(.unreachable)
        case CURLE_OPERATION_TIMEDOUT: self = .refusedForNow(.timedOut)
        case CURLE_LOGIN_DENIED: self = .refusedForNow(.notAuthenticated(status: status))
        case CURLE_ABORTED_BY_CALLBACK: self = .refusedForNow(.closed)
        case CURLE_OUT_OF_MEMORY: self = .refusedForNow(.overloaded)
        case _ where code.isTLSFailure: self = .refusedForNow(.tlsFailed)
        default:
            let obstacle = DeliveryError.answered(status: status, to: step)
            switch (status, step) {
            case (500...599, .recipient), (500...599, .message): self = .refusedForGood(obstacle)
            case (400...599, _): self = .refusedForNow(obstacle)
            default: self = .refusedForNow(Self.silence(code))
            }
        }
    }

    private static func silence(_ code: CURLcode) -> DeliveryError {
        switch code {
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .connectionLost
        default: .protocolError(code: Int(code.rawValue))
        }
    }
}
