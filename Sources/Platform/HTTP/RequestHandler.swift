/// Routes and answers requests. The server has one handler per event loop.
public struct RequestHandler: Sendable {
    /// Returns the route for a method, a path, which is not percent-decoded, and header fields. Called once per
    /// request, before the body is read.
    let route: @Sendable (Method, String, Headers) -> MatchedRoute
    /// Returns the response to a request whose body is rejected. Receives the request without its body.
    let rejected: @Sendable (BodyRejection, Request) -> Response
    /// Returns the response to a request whose head is rejected.
    let headRejected: @Sendable (RequestRejection) -> Response

    public init(
        route: @escaping @Sendable (Method, String, Headers) -> MatchedRoute,
        rejected: @escaping @Sendable (BodyRejection, Request) -> Response = { rejection, _ in rejection.response },
        headRejected: @escaping @Sendable (RequestRejection) -> Response = { $0.response }
    ) {
        self.route = route
        self.rejected = rejected
        self.headRejected = headRejected
    }

    /// For a handler that answers every path.
    public init(
        bodyLimit: @escaping @Sendable (Method, String) -> BodyLimit,
        rejected: @escaping @Sendable (BodyRejection, Request) -> Response = { rejection, _ in rejection.response },
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(
            route: { method, path, _ in MatchedRoute(bodyLimit: bodyLimit(method, path), respond: respond) },
            rejected: rejected)
    }
}

/// The route of one request.
public struct MatchedRoute: Sendable {
    /// Applies to bodies above ``Limits/bodyBytes``. Every route accepts bodies up to that size.
    public let bodyLimit: BodyLimit
    public let respond: @Sendable (Request) async -> Response

    public init(bodyLimit: BodyLimit, respond: @escaping @Sendable (Request) async -> Response) {
        self.bodyLimit = bodyLimit
        self.respond = respond
    }
}

/// The maximum size of a request's body.
public enum BodyLimit: Sendable {
    case bytes(Int)
    /// At most `max` bytes. A body of more than `uncheckedUpTo` bytes is read only if `refusal` returns `nil` for the
    /// request without its body. Otherwise `refusal` returns the response.
    case checked(max: Int, uncheckedUpTo: Int, refusal: @Sendable (Request) async -> Response?)

    /// The maximum, whether or not a check is needed.
    public var bytes: Int {
        switch self {
        case .bytes(let bytes), .checked(let bytes, _, _): bytes
        }
    }

    /// - Returns: the check that a body of `count` bytes needs before it is read, if any.
    func check(for count: Int) -> (@Sendable (Request) async -> Response?)? {
        guard case .checked(_, let unchecked, let refusal) = self, count > unchecked else { return nil }
        return refusal
    }
}

/// The head of a request that the server accepts, with its route.
struct ValidatedHead {
    let head: RequestHead
    let contentCoding: ContentCoding
    /// The maximum size of the body, before and after decoding.
    let bodyLimit: Int
    /// `nil` if the body may be read without a check. Otherwise the body may be read only if the closure returns `nil`;
    /// a response rejects the request.
    let check: (@Sendable (Request) async -> Response?)?
    let respond: @Sendable (Request) async -> Response

    var bodyLength: BodyLength { head.framing.bodyLength }
}

extension RequestHandler {
    /// Routes a request, and decides from its head whether the server accepts it. A chunked or encoded body, whose size
    /// is unknown, needs the same check as the largest body of its route.
    func validate(_ head: RequestHead, within limits: Limits) throws(BodyRejection) -> ValidatedHead {
        let route = route(head.method, head.target.path, head.headers)
        let coding = try ContentCoding(head.headers)
        let limit = max(limits.bodyBytes, route.bodyLimit.bytes)
        var size = limit
        if case .bytes(let count) = head.framing.bodyLength {
            guard count <= limit else { throw .tooLarge }
            if coding == .identity { size = count }
        }
        return ValidatedHead(
            head: head, contentCoding: coding, bodyLimit: limit,
            check: size > limits.bodyBytes ? route.bodyLimit.check(for: size) : nil, respond: route.respond)
    }
}

/// Why the head of a request is rejected. The server closes the connection after the response.
public enum RequestRejection: Error, CaseIterable, Sendable {
    /// A line that ends with LF alone, or a request line that does not consist of a valid method, a target and a valid
    /// version (RFC 9112 §2.2, §3).
    case malformedLine
    /// A valid method that the server does not support (RFC 9110 §9.1).
    case unknownMethod
    case malformedTarget
    case malformedHeader
    /// No `Host`, several, or a value that is not a host (RFC 9112 §3.2).
    case invalidHost
    /// Several `Content-Length` fields, several `Transfer-Encoding` fields, both together, a `Transfer-Encoding` with
    /// HTTP/1.0, or a `Content-Length` that is not a number (RFC 9112 §6.1, §6.3).
    case ambiguousLength
    /// A `Transfer-Encoding` other than `chunked` (RFC 9112 §6.1).
    case unknownTransferCoding
    /// The request line alone exceeds the limit for the head (RFC 9110 §15.5.15).
    case targetTooLong
    case headTooLarge
    case versionNotSupported

    public var response: Response {
        let (status, text) = statusAndText
        return .text(status: status, text)
    }

    private var statusAndText: (Int, String) {
        switch self {
        case .malformedLine: (400, "Malformed request")
        case .unknownMethod: (501, "Unknown method")
        case .malformedTarget: (400, "Malformed request target")
        case .malformedHeader: (400, "Malformed header field")
        case .invalidHost: (400, "Exactly one valid Host is required")
        case .ambiguousLength: (400, "The length of the body is ambiguous")
        case .unknownTransferCoding: (501, "Only the transfer coding chunked is supported")
        case .targetTooLong: (414, "The request target is too long")
        case .headTooLarge: (431, "The request head is too large")
        case .versionNotSupported: (505, "Only HTTP/1.0 and HTTP/1.1 are supported")
        }
    }
}
