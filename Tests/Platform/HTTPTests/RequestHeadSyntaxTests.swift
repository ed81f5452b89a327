import Testing

@testable import HTTP

@Suite("Syntax of a request head")
struct RequestHeadSyntaxTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let expected: RequestRejection

        init(_ description: String, _ text: String, _ expected: RequestRejection = .malformedHeader) {
            testDescription = description
            self.text = text
            self.expected = expected
        }

        /// A request with one more field line.
        init(_ description: String, field: String) {
            self.init(description, "GET /a HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
        }

        /// - Parameter line: the request line.
        init(_ description: String, line: String, _ expected: RequestRejection = .malformedLine) {
            self.init(description, "\(line)\r\nHost: a\r\n\r\n", expected)
        }
    }

    @Test(
        "A head with invalid syntax or an unsupported version is rejected",
        arguments: [
            Row("bare LF as line ends", "GET /a HTTP/1.1\nHost: a\n\n", .malformedLine),
            Row("bare LF after the request line", "GET /a HTTP/1.1\nHost: a\r\n\r\n", .malformedLine),
            Row("bare LF as the empty line", "GET /a HTTP/1.1\r\nHost: a\r\n\n", .malformedLine),
            Row("a LF before anything else", "\n", .malformedLine),
            Row("two empty lines first", "\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedLine),
            Row("a bare CR in the request line", line: "GET /a\rb HTTP/1.1", .malformedTarget),
            Row("a CR before the line end", line: "GET /a HTTP/1.1\r"),
            Row("a space first", line: " GET /a HTTP/1.1"),
            Row("a space last", line: "GET /a HTTP/1.1 "),
            Row("tabs as separators", line: "GET\t/a\tHTTP/1.1"),
            Row("two spaces before the version", line: "GET /a  HTTP/1.1", .malformedTarget),
            Row("two spaces before the target", line: "GET  /a HTTP/1.1", .malformedTarget),
            Row("a NUL in the method", line: "G\u{0}T /a HTTP/1.1"),
            Row("a NUL in the target", line: "GET /\u{0} HTTP/1.1", .malformedTarget),
            Row("no target", line: "GET HTTP/1.1"),
            Row("no version", line: "GET /a"),
            Row("a version in lower case", line: "GET /a http/1.1"),
            Row("a version with two digits", line: "GET /a HTTP/1.10"),
            Row("a version without a point", line: "GET /a HTTP/11"),
            Row("another protocol", line: "GET /a RTSP/1.0"),
            Row("HTTP/2.1", line: "GET /a HTTP/2.1", .versionNotSupported),
            Row("HTTP/0.9", line: "GET /a HTTP/0.9", .versionNotSupported),
            Row("a field line without a colon", field: "X-A"),
            Row("an empty field name", field: ": a"),
            Row("a space before the colon", field: "X-A : a"),
            Row("a tab before the colon", field: "X-A\t: a"),
            Row("a folded field", field: "X-A: a\r\n b"),
            Row("a folded field that looks like a field", field: "X-A: a\r\n\tX-B: b"),
            Row("a line of white space", field: " "),
            Row("a space before the first field name", "GET /a HTTP/1.1\r\n Host: a\r\n\r\n"),
            Row("a control character in a name", field: "X\u{1}A: a"),
            Row("a non-ASCII name", field: "X-É: a"),
            Row("a quoted name", field: "\"X\": a"),
            Row("a NUL in a value", field: "X-A: a\u{0}b"),
            Row("a control character in a value", field: "X-A: a\u{1F}"),
            Row("DEL in a value", field: "X-A: a\u{7F}"),
            Row("a bare CR in a value", field: "X-A: a\rX-B: b"),
            Row("a CR at the end of a value", field: "X-A: a\r"),
        ])
    func rejected(row: Row) {
        #expect(throws: row.expected) { try parse(row.text) }
    }

    @Test("A head is read field by field, without white space around the values")
    func accepted() throws {
        let text = "POST /a?b=c HTTP/1.1\r\nHost: a\r\nX-A:\r\nX-B:b\r\nX-C: \t c d \t\r\nX-D: é:\"\t\"\r\n\r\n"
        let (head, count) = try #require(try parse(text + "body"))
        #expect(count == text.utf8.count)
        #expect(head.method == .post)
        #expect(head.target.path == "/a")
        #expect(
            head.headers.map { "\($0.name)=\($0.value)" } == ["Host=a", "X-A=", "X-B=b", "X-C=c d", "X-D=Ã©:\"\t\""],
            "bytes above 0x7F are read as ISO 8859-1")
        #expect(head.framing.keepsAlive)
    }

    @Test("A head of more than 16 KiB or 64 fields is rejected before its end has arrived")
    func endless() throws {
        #expect(try parse("GET /" + String(repeating: "a", count: 16 * 1024 - 6)) == nil)
        #expect(throws: RequestRejection.targetTooLong) {
            try parse("GET /" + String(repeating: "a", count: 16 * 1024))
        }
        #expect(throws: RequestRejection.headTooLarge) {
            try parse("GET /a HTTP/1.1\r\nX-A: " + String(repeating: "a", count: 16 * 1024))
        }
        let fields = String(repeating: "X-A: a\r\n", count: 64)
        #expect(try parse("GET /a HTTP/1.1\r\n" + fields) == nil)
        #expect(throws: RequestRejection.headTooLarge) { try parse("GET /a HTTP/1.1\r\nHost: a\r\n" + fields) }
    }

    @Test("A randomly changed head has the same result whether it arrives whole, byte by byte, or in random pieces")
    func splits() {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let bytes = random.mutated(
                "\r\nPOST /a?b=c HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX-A: \t b\r\n\r\nab")
            let whole = outcome(of: bytes, prefixLengths: [bytes.count])
            #expect(outcome(of: bytes, prefixLengths: Array(1...bytes.count)) == whole, "seed \(seed)")
            var lengths: [Int] = []
            while lengths.last != bytes.count {
                lengths.append(min(bytes.count, (lengths.last ?? 0) + .random(in: 1...9, using: &random)))
            }
            #expect(outcome(of: bytes, prefixLengths: lengths) == whole, "seed \(seed)")
        }
    }

    /// Gives one parser the prefixes of `bytes` with these lengths, one after the other, and returns its first outcome.
    private func outcome(of bytes: [UInt8], prefixLengths: [Int]) -> String {
        var parser = RequestHeadParser()
        for length in prefixLengths {
            let outcome = bytes[..<length].withUnsafeBytes { bytes -> String? in
                do throws(RequestRejection) {
                    return try parser.parse(bytes, limits: Limits()).map { "\($0)" }
                } catch {
                    return "\(error)"
                }
            }
            if let outcome { return outcome }
        }
        return "incomplete"
    }
}
