internal import CSystem

/// Parses the head of one request from bytes that arrive in pieces. Stricter than RFC 9112 requires, so that a proxy in
/// front of the server cannot interpret a head differently.
///
/// A line ends with CRLF; a lone CR or LF is an error (§2.2), and so is a folded line (§5.2). One empty line before the
/// request is skipped (§2.2).
struct RequestHeadParser {
    /// The index up to which the bytes have been searched for line ends, so that each byte is searched only once.
    private var searched = 0
    /// The start of the line that contains the index ``searched``.
    private var lineStart = 0
    /// The number of complete lines that are not empty.
    private var lines = 0

    /// - Parameter bytes: everything that has arrived since the end of the previous request.
    /// - Returns: the head and its length, or `nil` if its end has not arrived.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, limits: Limits
    ) throws(RequestRejection) -> (head: RequestHead, count: Int)? {
        guard let count = try findEnd(in: bytes, limits: limits) else { return nil }
        let head = try RequestHead(UnsafeRawBufferPointer(rebasing: bytes[..<count]), fields: lines - 1)
        self = RequestHeadParser()
        return (head, count)
    }

    /// - Returns: the index after the empty line that ends the head; `nil` if that line has not arrived.
    private mutating func findEnd(
        in bytes: UnsafeRawBufferPointer, limits: Limits
    ) throws(RequestRejection) -> Int? {
        while let end = bytes.firstLineFeed(from: searched) {
            guard end > lineStart, bytes[end - 1] == carriageReturn else { throw .malformedLine }
            guard end < limits.headBytes else { throw tooLarge }
            let isEmpty = end == lineStart + 1
            // An empty line before the request is skipped; a later one ends the head.
            if isEmpty, lineStart > 0 { return end + 1 }
            if !isEmpty { lines += 1 }
            guard lines <= 1 + limits.headers else { throw .headTooLarge }
            searched = end + 1
            lineStart = end + 1
        }
        searched = bytes.count
        guard bytes.count < limits.headBytes else { throw tooLarge }
        return nil
    }

    /// The rejection of a head that exceeds the limit in the current line.
    private var tooLarge: RequestRejection { lines == 0 ? .targetTooLong : .headTooLarge }
}

extension RequestHead {
    /// - Parameters:
    ///   - bytes: all lines, each with CRLF, including the empty one at the end.
    ///   - fields: the number of field lines.
    fileprivate init(_ bytes: UnsafeRawBufferPointer, fields: Int) throws(RequestRejection) {
        var lines = Lines(bytes)
        var line = lines.next()
        if line.isEmpty { line = lines.next() }
        let requestLine = try RequestLine(line)
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(fields)
        var framingFields = FramingFields()
        while case let line = lines.next(), !line.isEmpty {
            let field = try FieldLine(line)
            framingFields.record(field)
            headers.append((String(decoding: field.name, as: UTF8.self), Headers.text(of: field.value)))
        }
        let framing = try framingFields.framing(isHTTP10: requestLine.isHTTP10)
        if let authority = requestLine.target.authority {
            headers.removeAll { $0.name.equalsIgnoringASCIICase("Host") }
            headers.append(("Host", authority))
        }
        self.init(
            method: requestLine.method, target: requestLine.target, headers: Headers(headers), framing: framing)
    }
}

/// The lines of a head, without their ends.
private struct Lines {
    private let bytes: UnsafeRawBufferPointer
    private var start = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> UnsafeRawBufferPointer {
        guard let end = bytes.firstLineFeed(from: start) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        defer { start = end + 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end - 1])
    }
}

/// Method, target and version, separated by one space each (RFC 9112 §3).
private struct RequestLine {
    let method: Method
    let target: Target
    let isHTTP10: Bool

    init(_ line: UnsafeRawBufferPointer) throws(RequestRejection) {
        let space = UInt8(ascii: " ")
        guard
            let methodEnd = line.firstIndex(of: space), let targetEnd = line.lastIndex(of: space),
            methodEnd < targetEnd
        else { throw .malformedLine }
        isHTTP10 = try Self.isHTTP10(UnsafeRawBufferPointer(rebasing: line[(targetEnd + 1)...]))
        let name = String(decoding: line[..<methodEnd], as: UTF8.self)
        guard let method = Method(rawValue: name) else {
            throw name.isToken ? RequestRejection.unknownMethod : RequestRejection.malformedLine
        }
        self.method = method
        target = try Target(
            parsing: UnsafeRawBufferPointer(rebasing: line[(methodEnd + 1)..<targetEnd]), for: method)
    }

    private static func isHTTP10(_ version: UnsafeRawBufferPointer) throws(RequestRejection) -> Bool {
        guard
            version.count == 8, version.starts(with: "HTTP/".utf8), version[5].isDigit,
            version[6] == UInt8(ascii: "."), version[7].isDigit
        else { throw .malformedLine }
        guard version[5] == UInt8(ascii: "1"), version[7] <= UInt8(ascii: "1") else { throw .versionNotSupported }
        return version[7] == UInt8(ascii: "0")
    }
}

/// One header field (RFC 9112 §5).
struct FieldLine {
    let name: UnsafeRawBufferPointer
    /// Without white space at its ends.
    let value: UnsafeRawBufferPointer

    fileprivate init(_ line: UnsafeRawBufferPointer) throws(RequestRejection) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { throw .malformedHeader }
        name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard name.allSatisfy(\.isTokenCharacter) else { throw .malformedHeader }
        var (start, end) = (colon + 1, line.count)
        while start < end, line[start].isBlank { start += 1 }
        while end > start, line[end - 1].isBlank { end -= 1 }
        value = UnsafeRawBufferPointer(rebasing: line[start..<end])
        guard !value.containsControl else { throw .malformedHeader }
    }
}

private let carriageReturn = UInt8(ascii: "\r")

extension UnsafeRawBufferPointer {
    fileprivate func firstLineFeed(from start: Int) -> Int? {
        guard start < count, let base = baseAddress else { return nil }
        return memchr(base + start, Int32(UInt8(ascii: "\n")), count - start).map { UnsafeRawPointer($0) - base }
    }
}

/// The head of a request with valid syntax (RFC 9112 §2 to §6).
struct RequestHead {
    let method: Method
    let target: Target
    /// If the target names an authority, the only `Host` field has that authority (RFC 9112 §3.2.2).
    let headers: Headers
    let framing: Framing
}

/// How a request and its response are delimited.
struct Framing {
    let bodyLength: BodyLength
    /// Whether the client keeps the connection open (RFC 9112 §9.3).
    let keepsAlive: Bool
    let isHTTP10: Bool
    /// Whether the client waits for `100 Continue` (RFC 9110 §10.1.1).
    let expectsContinue: Bool
}

/// The fields that determine where a request ends, which host it is for, whether its client waits for `100 Continue`,
/// and whether the connection stays open.
///
/// Rejects combinations that a proxy and this server could interpret differently (RFC 9112 §3.2, §6.3 and §11.2).
struct FramingFields {
    private var hostCount = 0
    private var hostIsValid = true
    private var lengthCount = 0
    /// The value of `Content-Length`; `nil` if it is not a number.
    private var length: Int? = 0
    private var transferEncodingCount = 0
    private var isChunked = false
    private var hasClose = false
    private var hasKeepAlive = false
    private var expectsContinue = false

    mutating func record(_ field: FieldLine) {
        // Names are compared only if the length matches, which excludes most fields.
        switch field.name.count {
        case 4 where field.name.equals("host"):
            hostCount += 1
            hostIsValid = field.value.allSatisfy(isHostCharacter)
        case 6 where field.name.equals("expect"):
            expectsContinue = field.value.equals("100-continue")
        case 10 where field.name.equals("connection"):
            for option in field.value.split(separator: UInt8(ascii: ",")) {
                let option = UnsafeRawBufferPointer(rebasing: option).trimmed
                hasClose = hasClose || option.equals("close")
                hasKeepAlive = hasKeepAlive || option.equals("keep-alive")
            }
        case 14 where field.name.equals("content-length"):
            lengthCount += 1
            length = number(field.value)
        case 17 where field.name.equals("transfer-encoding"):
            transferEncodingCount += 1
            isChunked = field.value.equals("chunked")
        default: break
        }
    }

    func framing(isHTTP10: Bool) throws(RequestRejection) -> Framing {
        guard hostCount == 1 || (hostCount == 0 && isHTTP10), hostIsValid else { throw .invalidHost }
        guard lengthCount <= 1, transferEncodingCount <= 1, lengthCount == 0 || transferEncodingCount == 0 else {
            throw .ambiguousLength
        }
        guard transferEncodingCount == 0 || !isHTTP10 else { throw .ambiguousLength }
        guard transferEncodingCount == 0 || isChunked else { throw .unknownTransferCoding }
        guard let length else { throw .ambiguousLength }
        return Framing(
            bodyLength: isChunked ? .chunked : .bytes(length), keepsAlive: !hasClose && (hasKeepAlive || !isHTTP10),
            isHTTP10: isHTTP10,
            expectsContinue: expectsContinue && !isHTTP10)
    }
}

/// - Returns: `nil` unless `digits` has decimal digits only; `Int.max` for a number that overflows.
private func number(_ digits: UnsafeRawBufferPointer) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self)) ?? .max
}

/// Whether a byte may occur in a host and a port (RFC 3986 §3.2.2, §3.2.3), without user information.
func isHostCharacter(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "-._~%!$&'()*+;=:[]".utf8.contains(byte)
}

extension UnsafeRawBufferPointer {
    /// - Parameter text: ASCII without upper-case letters.
    fileprivate func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && indices.allSatisfy { self[$0].lowercasedASCII == text.utf8Start[$0] }
    }

    /// Without spaces and tabs at both ends.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        let start = firstIndex { !$0.isBlank } ?? endIndex
        let end = lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}

extension String {
    /// Whether the text is a token, for example a field name or a method (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }

    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// Whether the byte is an ASCII control character: 0x00 to 0x1F, or 0x7F.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// Whether the byte is a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
    }

    /// Whether the byte may occur in a token (RFC 9110 §5.6.2).
    var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension UnsafeRawBufferPointer {
    /// Whether a byte is a control character other than a tab. The loop has no early exit, so that the compiler can use
    /// vector instructions.
    var containsControl: Bool {
        var count = 0
        for byte in self where byte.isControl && byte != UInt8(ascii: "\t") { count += 1 }
        return count > 0
    }
}
