public import CSystem
public import EventLoop

/// One request on one handle. ``Transfers`` retains the object until the transfer has ended.
public protocol Transfer: AnyObject {
    /// Unique among the transfers in progress.
    var id: UInt64 { get }
    var handle: Handle { get }
    /// The time limit of the whole transfer, including the wait for a connection.
    var deadline: Duration { get }

    /// Receives the outcome. Called once; libcurl does not use the handle afterwards.
    func end(_ end: TransferEnd)
}

/// The outcome of a transfer.
public enum TransferEnd {
    /// libcurl has finished the transfer, successfully or with an error.
    case done(CURLcode)
    case timedOut
    case cancelled
    /// The event loop cannot watch a descriptor that the transfer needs.
    case notWatched(SystemError)
    /// The ``Transfers`` were closed; see ``Transfers/close()``.
    case closed
}

/// libcurl rejected an option or has no memory for a handle.
public struct CurlFault: Error {
    public let code: CURLcode

    public init(_ code: CURLcode) {
        self.code = code
    }
}

extension CURLcode {
    /// Whether TLS failed: the server does not offer TLS, the handshake failed, the certificate is not valid, or
    /// trusted certificates cannot be read.
    public var isTLSFailure: Bool {
        switch self {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
            true
        default: false
        }
    }
}
