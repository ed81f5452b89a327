internal import CSystem
internal import Curl

/// Why there is no answer. Holds neither the URL nor anything that was sent or received.
public enum ClientFault: Error, Hashable, Sendable {
    /// See ``ClientRequest/url``.
    case invalidURL
    /// A name or value that cannot be sent, or a field that belongs to the client.
    case invalidHeader
    /// What ``ClientRequest/destination`` rules out. Nothing was sent, and no connection made.
    case destinationNotAllowed
    case unknownHost
    /// Nobody accepted a connection.
    case unreachable
    /// No encryption was agreed upon, or the certificate is not one to believe for this host.
    case tlsFailed
    /// The connection ended before the answer did; the request may have been carried out.
    case connectionLost
    /// The request may have been carried out.
    case timedOut
    /// The answer's head is over the client's limit, or its body over the request's.
    case tooLarge
    /// The answer is not HTTP, or anything else that libcurl gives up on, by its own number.
    case protocolError(code: Int)
    /// Too many requests are under way already, or there is no memory for one more.
    case overloaded
    /// The client was closed.
    case closed
}

extension ClientFault {
    /// - Returns: `nil` for success.
    init?(_ code: CURLcode) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_URL_MALFORMAT: self = .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
        case CURLE_COULDNT_CONNECT: self = .unreachable
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case _ where code.isTLSFailure: self = .tlsFailed
        case CURLE_OUT_OF_MEMORY: self = .overloaded
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: self = .connectionLost
        default: self = .protocolError(code: Int(code.rawValue))
        }
    }
}
