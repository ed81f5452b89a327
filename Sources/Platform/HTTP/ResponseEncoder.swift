internal import CSystem
internal import Encoding

/// How the server delimits one response, and what it does with the connection afterwards.
struct ResponseFraming {
    /// Whether the response has no body, because it responds to `HEAD`.
    var omitsBody: Bool
    var isHTTP10: Bool
    /// Whether the server closes the connection.
    var closes: Bool
    /// Whether the client may still be sending bytes that will not be read; see ``LingeringClose``.
    var lingers: Bool

    /// For a request with this head.
    init(_ head: RequestHead) {
        omitsBody = head.method == .head
        isHTTP10 = head.framing.isHTTP10
        closes = !head.framing.keepsAlive
        lingers = false
    }

    /// For a request whose head was rejected.
    ///
    /// - Parameter bytes: what has arrived of the request.
    init(rejected bytes: UnsafeRawBufferPointer) {
        omitsBody = bytes.starts(with: "HEAD ".utf8)
        isHTTP10 = false
        closes = true
        lingers = true
    }
}

/// Encodes responses for HTTP/1.1 (RFC 9112 §4).
struct ResponseEncoder {
    /// The minimum size in bytes of a body that is sent directly from the memory of the response instead of being
    /// copied. Responses with the same document share this memory.
    private static let sharedBodyBytes = 16 * 1024

    private var date = DateField()

    /// Returns the body that ``encode(_:_:into:)`` does not copy and the caller sends after the output; empty if there
    /// is none.
    static func sharedBody(of response: Response, _ framing: ResponseFraming) -> [UInt8] {
        let isSent = !framing.omitsBody && mayHaveBody(response.status)
        return isSent && response.body.count >= sharedBodyBytes ? response.body : []
    }

    /// Replaces the contents of `output` with the encoded response, without the body that ``sharedBody(of:_:)``
    /// returns.
    ///
    /// - Returns: `false` if the status or a field is not valid; `output` is then not valid either.
    mutating func encode(_ response: Response, _ framing: ResponseFraming, into output: inout [UInt8]) -> Bool {
        guard (200...599).contains(response.status) else { return false }
        output.removeAll(keepingCapacity: true)
        output += "HTTP/1.1 ".utf8
        output += String(response.status).utf8
        output += " ".utf8
        output += reasonPhrase(response.status).utf8
        output += "\r\n".utf8
        output += date.line()
        if framing.closes {
            output += "Connection: close\r\n".utf8
        } else if framing.isHTTP10 {
            output += "Connection: Keep-Alive\r\n".utf8
        }
        for (name, value) in response.headers where !Self.append(name, value, to: &output) { return false }
        // No Content-Length (RFC 9110 §8.6): a 304 would have to state the length of the corresponding 200 response.
        guard Self.mayHaveBody(response.status) else {
            output += "\r\n".utf8
            return true
        }
        output += "Content-Length: ".utf8
        output += String(response.body.count).utf8
        output += "\r\n\r\n".utf8
        if !framing.omitsBody, response.body.count < Self.sharedBodyBytes { output += response.body }
        return true
    }

    private static func mayHaveBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    /// - Returns: whether the field is valid.
    private static func append(_ name: String, _ value: String, to output: inout [UInt8]) -> Bool {
        guard !name.isEmpty, !value.isEmpty, !isReserved(name) else { return false }
        let start = output.count
        output += name.utf8
        output += ": ".utf8
        output += value.utf8
        output += "\r\n".utf8
        // The output is contiguous, so this is faster than a check of the strings.
        return output.withUnsafeBytes { bytes in
            let name = bytes[start..<start + name.utf8.count]
            let value = UnsafeRawBufferPointer(rebasing: bytes[(name.endIndex + 2)..<(bytes.count - 2)])
            return name.allSatisfy(\.isTokenCharacter) && !value.containsControl
        }
    }

    private static func isReserved(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringASCIICase("Date")
        case 10: name.equalsIgnoringASCIICase("Connection")
        case 14: name.equalsIgnoringASCIICase("Content-Length")
        case 17: name.equalsIgnoringASCIICase("Transfer-Encoding")
        default: false
        }
    }
}

/// Returns the reason phrase of RFC 9110 §15 or RFC 6585; empty for rare statuses, because it is optional (RFC 9112
/// §4).
private func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
}

/// The header field `Date` (RFC 9110 §6.6.1), formatted at most once per second.
struct DateField {
    private var second: time_t?
    private var bytes: [UInt8] = []

    /// The field with its line end.
    mutating func line() -> [UInt8] {
        let now = time(nil)
        if now != second {
            second = now
            bytes = Array("Date: \(HeaderDate.http.text(secondsSince1970: Int64(now)))\r\n".utf8)
        }
        return bytes
    }
}
