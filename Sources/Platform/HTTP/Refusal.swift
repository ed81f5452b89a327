/// Why the front door turned a request away. The connection ends with the answer.
enum Refusal: Error, CaseIterable {
    case unknownMethod
    case malformedTarget
    case malformedHeader
    /// No `Host`, several, or one that is not a host (RFC 9112 §3.2).
    case hostNotClear
    /// Several lengths or codings, or both, or a length that is not a number (RFC 9112 §6.3).
    case lengthNotClear
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
        case .unknownMethod: (400, "Unknown method")
        case .malformedTarget: (400, "Malformed request target")
        case .malformedHeader: (400, "Malformed header field")
        case .hostNotClear: (400, "Exactly one valid Host is needed")
        case .lengthNotClear: (400, "The length of the body is not clear")
        case .lengthRequired: (411, "A body needs a Content-Length")
        case .bodyTooLarge: (413, "The body is too large")
        case .headTooLarge: (431, "The request head is too large")
        case .versionNotSupported: (505, "HTTP/1.0 and HTTP/1.1 are supported")
        }
    }
}
