import Encoding
import Testing

@testable import HTTP

@Suite("Validation of request heads")
struct RequestHeadTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var method = "POST"
        var target = "/echo"
        var version = "HTTP/1.1"
        var headers: [(String, String)] = [("Host", "localhost")]
        /// The minimum length of the head. An additional field pads a shorter head.
        var bytes = 0
        var expected: RequestRejection?
        var bodyRejection: BodyRejection?

        func with(_ headers: (String, String)...) -> Row {
            var row = self
            row.headers += headers
            return row
        }
    }

    /// Each route accepts bodies up to its own limit, but at least ``Limits/bodyBytes``. The limit of `POST /large` is
    /// 1000 bytes, and that of every other route is 10 bytes.
    private let handler = RequestHandler(
        bodyLimit: { method, path in .bytes(path == "/large" && method == .post ? 1000 : 10) }, echo)

    @Test(
        "A valid head is accepted",
        arguments: [
            Row(testDescription: "a plain request"),
            Row(testDescription: "a body at the limit of its route").with(("content-length", "10")),
            Row(testDescription: "a body of the size that every route accepts").with(("content-length", "5")),
            Row(testDescription: "a larger body on a route that allows it", target: "/large?key=1")
                .with(("Content-Length", "1000")),
            Row(testDescription: "a head at the limit", bytes: 16 * 1024),
            Row(testDescription: "64 fields", headers: [("Host", "a")] + fields(63)),
            Row(testDescription: "HTTP/1.0 without host", version: "HTTP/1.0", headers: []),
            Row(testDescription: "an IPv6 host with port", headers: [("host", "[::1]:8080")]),
            Row(testDescription: "* for OPTIONS", method: "OPTIONS", target: "*"),
            Row(testDescription: "escapes in the target", target: "/a%20b?c=%C3%A9&d"),
            Row(testDescription: "a chunked body").with(("Transfer-Encoding", "Chunked")),
            Row(testDescription: "an encoded body").with(("Content-Encoding", "gzip"), ("Content-Length", "10")),
            Row(testDescription: "an absolute target", target: "http://a/b"),
            Row(testDescription: "a tab in a field value").with(("X-Note", "a\tb")),
            Row(testDescription: "non-ASCII text in a field value").with(("X-Note", "é")),
        ])
    func accepted(row: Row) { #expect(rejection(of: row) == nil) }

    @Test(
        "An invalid or ambiguous head, or one above a limit, is rejected",
        arguments: [
            Row(testDescription: "an unknown method", method: "BREW", expected: .unknownMethod),
            Row(testDescription: "a known method in lower case", method: "post", expected: .unknownMethod),
            Row(testDescription: "CONNECT", method: "CONNECT", target: "a:443", expected: .unknownMethod),
            Row(testDescription: "HTTP/1.2", version: "HTTP/1.2", expected: .versionNotSupported),
            Row(testDescription: "no version", version: "", expected: .malformedLine),
            Row(testDescription: "an empty target", target: "", expected: .malformedTarget),
            Row(
                testDescription: "an absolute target with another scheme", target: "ftp://a/b",
                expected: .malformedTarget),
            Row(testDescription: "an absolute target without a host", target: "http:///b", expected: .malformedTarget),
            Row(testDescription: "an absolute target with a user", target: "http://a@b/c", expected: .malformedTarget),
            Row(
                testDescription: "an absolute target with a fragment", target: "http://a#b", expected: .malformedTarget),
            Row(testDescription: "a host and a port", target: "a:443", expected: .malformedTarget),
            Row(testDescription: "* for a method other than OPTIONS", target: "*", expected: .malformedTarget),
            Row(testDescription: "a space in the target", target: "/a b", expected: .malformedTarget),
            Row(testDescription: "a control character in the target", target: "/a\u{7}b", expected: .malformedTarget),
            Row(testDescription: "non-ASCII bytes in the target", target: "/é", expected: .malformedTarget),
            Row(testDescription: "a fragment", target: "/a#b", expected: .malformedTarget),
            Row(
                testDescription: "an incomplete escape at the end of the path", target: "/a%2",
                expected: .malformedTarget),
            Row(testDescription: "an incomplete escape within the path", target: "/a%2/b", expected: .malformedTarget),
            Row(testDescription: "an incomplete escape in the query", target: "/a?b=%zz", expected: .malformedTarget),
            Row(testDescription: "a query that is not UTF-8", target: "/a?b=%ff", expected: .malformedTarget),
            Row(
                testDescription: "101 pairs in the query", target: "/a?" + String(repeating: "b&", count: 101),
                expected: .malformedTarget),
            Row(testDescription: "no host", headers: [], expected: .invalidHost),
            Row(testDescription: "two hosts", expected: .invalidHost).with(("HOST", "localhost")),
            Row(testDescription: "a host with a path", headers: [("Host", "a/b")], expected: .invalidHost),
            Row(testDescription: "a host with a user", headers: [("Host", "a@b")], expected: .invalidHost),
            Row(testDescription: "two equal lengths", expected: .ambiguousLength)
                .with(("Content-Length", "2"), ("content-length", "2")),
            Row(testDescription: "two lengths", expected: .ambiguousLength)
                .with(("Content-Length", "2"), ("Content-Length", "3")),
            Row(testDescription: "a list of lengths", expected: .ambiguousLength).with(("Content-Length", "2, 2")),
            Row(testDescription: "a signed length", expected: .ambiguousLength).with(("Content-Length", "+2")),
            Row(testDescription: "an empty length", expected: .ambiguousLength).with(("Content-Length", "")),
            Row(testDescription: "a length and a coding", expected: .ambiguousLength)
                .with(("Content-Length", "2"), ("Transfer-Encoding", "chunked")),
            Row(testDescription: "two codings", expected: .ambiguousLength)
                .with(("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")),
            Row(testDescription: "a coding with HTTP/1.0", version: "HTTP/1.0", expected: .ambiguousLength)
                .with(("Transfer-Encoding", "chunked")),
            Row(testDescription: "an unknown coding", expected: .unknownTransferCoding)
                .with(("Transfer-Encoding", "gzip")),
            Row(testDescription: "a list of codings", expected: .unknownTransferCoding)
                .with(("Transfer-Encoding", "gzip, chunked")),
            Row(testDescription: "an empty coding", expected: .unknownTransferCoding).with(("Transfer-Encoding", "")),
            Row(testDescription: "a coding with a parameter", expected: .unknownTransferCoding)
                .with(("Transfer-Encoding", "chunked;a=b")),
            Row(testDescription: "a head over the limit", bytes: 16 * 1024 + 1, expected: .headTooLarge),
            Row(testDescription: "65 fields", headers: [("Host", "a")] + fields(64), expected: .headTooLarge),
            Row(testDescription: "a space in a field name", expected: .malformedHeader).with(("Content-Length ", "2")),
            Row(testDescription: "an empty field name", expected: .malformedHeader).with(("", "2")),
            Row(testDescription: "a control character in a value", expected: .malformedHeader).with(("X-A", "a\u{1}")),
            Row(testDescription: "a bare CR in a value", expected: .malformedHeader).with(("X-A", "a\rb")),
        ])
    func rejected(row: Row) { #expect(rejection(of: row) == row.expected) }

    @Test(
        "A body above the limit of its route, or with an unsupported content coding, is rejected",
        arguments: [
            Row(testDescription: "a body over the limit", bodyRejection: .tooLarge).with(("Content-Length", "11")),
            Row(testDescription: "a length that overflows", bodyRejection: .tooLarge)
                .with(("Content-Length", "18446744073709551618")),
            Row(testDescription: "another content coding", bodyRejection: .unsupportedCoding)
                .with(("Content-Encoding", "br")),
            Row(testDescription: "two content codings", bodyRejection: .unsupportedCoding)
                .with(("Content-Encoding", "gzip, gzip")),
            Row(testDescription: "two fields with a content coding", bodyRejection: .unsupportedCoding)
                .with(("Content-Encoding", "gzip"), ("Content-Encoding", "identity")),
        ])
    func rejectedBody(row: Row) throws {
        let (head, _) = try #require(try parse(text(of: row) + "\r\n"))
        #expect(throws: try #require(row.bodyRejection)) {
            try handler.validate(head, within: Limits(bodyBytes: 5))
        }
    }

    @Test(
        "The authority of an absolute target replaces the field `Host`",
        arguments: [
            ("http://a.example/b?c=d", "a.example", "/b"), ("HTTPS://a.example:8443/b", "a.example:8443", "/b"),
            ("http://[::1]:80", "[::1]:80", "/"), ("http://a.example?c=d", "a.example", "/"),
            ("http://a.example//b", "a.example", "//b"),
        ])
    func authority(target: String, host: String, path: String) throws {
        let (head, _) = try #require(
            try parse("GET \(target) HTTP/1.1\r\nX-A: 1\r\nHost: other.example\r\n\r\n"))
        #expect(head.headers.filter { $0.name.lowercased() == "host" }.map(\.value) == [host])
        #expect(head.target.path == path)
        #expect(head.target.query.map(\.name) == (target.contains("?") ? ["c"] : []))
    }

    @Test("Each rejection is answered with an error status and short plain text", arguments: RequestRejection.allCases)
    func answers(rejection: RequestRejection) {
        let response = rejection.response
        #expect((400...505).contains(response.status))
        #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(response.body.count < 64)
    }

    private func text(of row: Row) -> String {
        var text = "\(row.method) \(row.target) \(row.version)\r\n"
        for (name, value) in row.headers { text += "\(name): \(value)\r\n" }
        let missing = row.bytes - text.utf8.count - 2
        if missing > 0 { text += "X-A:" + String(repeating: "a", count: missing - 6) + "\r\n" }
        return text
    }

    private func rejection(of row: Row) -> RequestRejection? {
        do throws(RequestRejection) {
            guard let (head, _) = try parse(text(of: row) + "\r\n") else { return nil }
            #expect(throws: Never.self) { try handler.validate(head, within: Limits(bodyBytes: 5)) }
            return nil
        } catch {
            return error
        }
    }
}

/// The head at the beginning of `text`; `nil` if it is incomplete.
func parse(_ text: String) throws(RequestRejection) -> (head: RequestHead, count: Int)? {
    var parser = RequestHeadParser()
    let outcome: Result<(head: RequestHead, count: Int)?, RequestRejection> = Array(text.utf8).withUnsafeBytes {
        bytes in
        Result { () throws(RequestRejection) in try parser.parse(bytes, limits: Limits()) }
    }
    return try outcome.get()
}

private func fields(_ count: Int) -> [(String, String)] {
    (0..<count).map { ("X-\($0)", "1") }
}
