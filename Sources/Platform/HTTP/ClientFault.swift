internal import CSystem
internal import Curl
public import EventLoop

/// Why a request has no response. Contains neither the URL nor anything that was sent or received.
public enum ClientFault: Error, Hashable, Sendable {
    /// See ``ClientRequest/url``.
    case invalidURL
    /// A header field has an invalid name or value, or a reserved name; see ``ClientRequest/headers``.
    case invalidHeader
    /// ``ClientRequest/destination`` does not allow the scheme or the address. No connection was made.
    case destinationNotAllowed
    case unknownHost
    /// No server accepted a connection.
    case unreachable
    /// The TLS handshake failed, the certificate is not valid for this host, or trusted certificates cannot be read.
    case tlsFailed
    /// The connection ended before the response was complete; the server may have processed the request.
    case connectionLost
    /// The server may have processed the request.
    case timedOut
    /// The response's head exceeds ``ClientLimits/headBytes``, or its body ``ClientRequest/maximumResponseBytes``.
    case tooLarge
    /// The response is not valid HTTP, or libcurl reported another error. `code` is libcurl's.
    case protocolError(code: Int)
    /// Too many requests are in progress, or there is not enough memory.
    case overloaded
    /// The event loop cannot watch the connection, for example because the system's limit of watches is reached.
    case notWatched(SystemError)
    /// ``Client/close()`` was called.
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
