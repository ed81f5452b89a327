internal import CSystem
internal import Curl

extension DeliveryResult {
    /// Only a 5xx reply to the recipient or to the message is permanent. All other errors are transient, including a
    /// rejected sender or password: the cause can end, or an operator can correct it, while the email waits.
    ///
    /// - Parameters:
    ///   - step: the last command that the client sent.
    ///   - status: the status of the server's last reply; 0 if there was none.
    init(_ code: CURLcode, after step: Step, status: Int) {
        switch code {
        case CURLE_OK: self = .accepted
        case CURLE_COULDNT_RESOLVE_HOST: self = .transient(.unknownHost)
        case CURLE_COULDNT_CONNECT: self = .transient(.unreachable)
        case CURLE_OPERATION_TIMEDOUT: self = .transient(.timedOut)
        case CURLE_LOGIN_DENIED: self = .transient(.notAuthenticated(status: status))
        case CURLE_ABORTED_BY_CALLBACK: self = .transient(.closed)
        case CURLE_OUT_OF_MEMORY: self = .transient(.overloaded)
        case _ where code.isTLSFailure: self = .transient(.tlsFailed)
        default:
            let error = DeliveryError.rejected(status: status, to: step)
            switch (status, step) {
            case (500...599, .recipient), (500...599, .message): self = .permanent(error)
            case (400...599, _): self = .transient(error)
            default: self = .transient(Self.errorWithoutReply(code))
            }
        }
    }

    private static func errorWithoutReply(_ code: CURLcode) -> DeliveryError {
        switch code {
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .connectionLost
        default: .protocolError(code: Int(code.rawValue))
        }
    }
}
