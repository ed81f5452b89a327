internal import CSystem

/// Reads the head of one request from bytes that arrive in pieces. Stricter than RFC 9112 requires, so that no proxy in
/// front can read a head differently.
///
/// A line ends with CRLF; a lone CR or LF is an error (§2.2), and so is a folded line (§5.2). One empty line before
/// the request is skipped (§2.2).
struct RequestHeadParser {
    /// The bytes before this index have been searched for line ends, so that each byte is searched once.
    private var searched = 0
    /// The start of the line that contains that index.
    private var lineStart = 0
    /// Complete lines that are not empty.
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

    /// - Returns: the index after the empty line that ends the head.
    private mutating func findEnd(
        in bytes: UnsafeRawBufferPointer, limits: Limits
    ) throws(RequestRejection) -> Int? {
        while let end = bytes.firstLineFeed(from: searched) {
            guard end > lineStart, bytes[end - 1] == carriageReturn else { throw .malformedLine }
            guard end < limits.headBytes else { throw .headTooLarge }
            let isEmpty = end == lineStart + 1
            if isEmpty, lineStart > 0 { return end + 1 }
            if !isEmpty { lines += 1 }
            guard lines <= 1 + limits.headers else { throw .headTooLarge }
            searched = end + 1
            lineStart = end + 1
        }
        searched = bytes.count
        guard bytes.count < limits.headBytes else { throw .headTooLarge }
        return nil
    }
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
        var framing = FramingFields()
        while case let line = lines.next(), !line.isEmpty {
            let field = try FieldLine(line)
            framing.note(field)
            headers.append((String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self)))
        }
        self.init(
            method: requestLine.method, target: requestLine.target, headers: Headers(headers),
            framing: try framing.framing(isHTTP10: requestLine.isHTTP10))
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
        guard let method = Method(rawValue: String(decoding: line[..<methodEnd], as: UTF8.self)) else {
            throw .unknownMethod
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
