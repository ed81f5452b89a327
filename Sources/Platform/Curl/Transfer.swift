public import CSystem

/// What is carried out with one handle. Must not die while ``Transfers`` has it.
public protocol Transfer: AnyObject {
    /// Not that of another one under way.
    var id: UInt64 { get }
    var handle: Handle { get }
    /// For all of it, the wait for a connection included.
    var deadline: Duration { get }

    /// Called once, when the library has nothing to do with it any more.
    func end(_ end: TransferEnd)
}

public enum TransferEnd {
    /// The library has done what it could.
    case done(CURLcode)
    case timedOut
    case cancelled
    /// The set of transfers was closed.
    case closed
}

/// The library refused an option, or has no memory for a handle.
public struct CurlFault: Error {
    public let code: CURLcode

    public init(_ code: CURLcode) {
        self.code = code
    }
}

extension CURLcode {
    /// No encryption was agreed upon, or the certificate is not one to believe for this host.
    public var isTLSFailure: Bool {
        switch self {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
            true
        default: false
        }
    }
}
