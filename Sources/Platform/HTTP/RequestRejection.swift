/// Why the head of a request is rejected. The server closes the connection after the response.
enum RequestRejection: Error, CaseIterable {
    /// A request line that does not have three parts, or a lone CR or LF (RFC 9112 §2.2, §3).
    case malformedLine
    case unknownMethod
    case malformedTarget
    case malformedHeader
    /// No `Host`, several, or a value that is not a host (RFC 9112 §3.2).
    case ambiguousHost
    /// Several lengths or codings, or both, or a length that is not a number (RFC 9112 §6.3).
    case ambiguousLength
    /// A body in a transfer coding (RFC 9110 §15.5.12).
    case lengthRequired
    case bodyTooLarge
    case headTooLarge
    case versionNotSupported

    var response: Response {
        let (status, text) = statusAndText
        return .text(status: status, text)
    }

    private var statusAndText: (Int, String) {
        switch self {
        case .malformedLine: (400, "Malformed request")
        case .unknownMethod: (400, "Unknown method")
        case .malformedTarget: (400, "Malformed request target")
        case .malformedHeader: (400, "Malformed header field")
        case .ambiguousHost: (400, "Exactly one valid Host is required")
        case .ambiguousLength: (400, "The length of the body is ambiguous")
        case .lengthRequired: (411, "A body requires a Content-Length")
        case .bodyTooLarge: (413, "The body is too large")
        case .headTooLarge: (431, "The request head is too large")
        case .versionNotSupported: (505, "HTTP/1.0 and HTTP/1.1 are supported")
        }
    }
}
