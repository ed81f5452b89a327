/// A request's head as libmicrohttpd delivers it. Nothing in it has been checked.
struct Head {
    var method: String
    var target: String
    var version: String
    var headers: Headers
    /// Length on the wire.
    var bytes: Int
}

/// A head that has passed ``RequestHeadValidator``, with its route.
struct ValidatedHead {
    let method: Method
    let path: String
    let query: [(name: String, value: String)]
    let headers: Headers
    /// From `Content-Length`; zero without one.
    let bodyBytes: Int
    /// Must return `nil` before the body is read.
    let check: (@Sendable (Request) async -> Response?)?
    let respond: @Sendable (Request) async -> Response
}

/// Decides by their heads alone which requests the server accepts.
///
/// Stricter than libmicrohttpd wherever two servers in a row could disagree: where a request ends
/// (RFC 9112 §6.3, §11.2), and which host it is for (§3.2). A body needs a `Content-Length`.
struct RequestHeadValidator: Sendable {
    let limits: Limits
    /// By method and undecoded path.
    let route: @Sendable (Method, String) -> MatchedRoute

    func validate(_ head: Head) throws(RequestRejection) -> ValidatedHead {
        guard head.bytes <= limits.headBytes, head.headers.count <= limits.headers else { throw .headTooLarge }
        guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else { throw .versionNotSupported }
        guard let method = Method(rawValue: head.method) else { throw .unknownMethod }
        let target = try Target(parsing: head.target, for: method)
        let bodyBytes = try FramingHeaders(of: head.headers).bodyBytes(version: head.version)
        let route = route(method, target.path)
        let limit = bodyBytes <= limits.bodyBytes ? .bytes(bodyBytes) : route.bodyLimit
        guard bodyBytes <= limit.bytes else { throw .bodyTooLarge }
        return ValidatedHead(
            method: method, path: target.path, query: target.query, headers: head.headers, bodyBytes: bodyBytes,
            check: limit.check(for: bodyBytes), respond: route.respond)
    }
}

/// The fields that determine where a request ends and which host it is for.
private struct FramingHeaders {
    private var hosts: [String] = []
    private var lengths: [String] = []
    private var encodings = 0

    init(of headers: Headers) throws(RequestRejection) {
        for (name, value) in headers {
            guard name.isToken, !value.utf8.contains(where: { $0.isControl && $0 != UInt8(ascii: "\t") }) else {
                throw .malformedHeader
            }
            if name.equalsIgnoringASCIICase("Host") { hosts.append(value) }
            if name.equalsIgnoringASCIICase("Content-Length") { lengths.append(value) }
            if name.equalsIgnoringASCIICase("Transfer-Encoding") { encodings += 1 }
        }
    }

    func bodyBytes(version: String) throws(RequestRejection) -> Int {
        guard hosts.count == 1 || (hosts.isEmpty && version == "HTTP/1.0"), hosts.allSatisfy(isHost) else {
            throw .ambiguousHost
        }
        guard lengths.count <= 1, encodings <= 1, lengths.isEmpty || encodings == 0 else { throw .ambiguousLength }
        guard encodings == 0 else { throw .lengthRequired }
        guard let length = lengths.first else { return 0 }
        guard length.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), !length.isEmpty else {
            throw .ambiguousLength
        }
        return Int(length) ?? .max
    }
}

/// The characters of RFC 3986 §3.2.2 and §3.2.3; no user information, no list.
private func isHost(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0.isAlphanumeric || "-._~%!$&'()*+;=:[]".utf8.contains($0) }
}
