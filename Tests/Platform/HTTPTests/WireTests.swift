import Glibc
import HTTP
import Testing

/// Requests over a real socket. Many are ambiguous: the server and a proxy could read them differently.
@Suite("HTTP server over a socket")
struct WireTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sent: String
        let status: Int

        /// - Parameter fields: each with its line end.
        init(
            _ description: String, line: String = "POST /a HTTP/1.1", _ fields: String, _ body: String = "",
            _ status: Int
        ) {
            testDescription = description
            sent = "\(line)\r\n\(fields)\r\n\(body)"
            self.status = status
        }
    }

    private static let host = "Host: a\r\n"
    private static let chunked = host + "Transfer-Encoding: chunked\r\n"

    /// `withServer` allows bodies of 1024 bytes.
    @Test(
        "An ambiguous, invalid or too large request is rejected, and the connection is closed",
        arguments: [
            Row("a length twice", host + "Content-Length: 2\r\nContent-Length: 2\r\n", "ab", 400),
            Row("two lengths", host + "Content-Length: 2\r\nContent-Length: 3\r\n", "ab", 400),
            Row("length and coding", host + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", 400),
            Row("coding and length", host + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n", 400),
            Row("unknown coding and length", host + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n", "ab", 400),
            Row(
                "two codings", host + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", 400),
            Row("a list of codings", host + "Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n", 501),
            Row("an unknown coding", host + "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n", 501),
            Row(
                "a coding with HTTP/1.0", line: "POST /a HTTP/1.0", host + "Transfer-Encoding: chunked\r\n",
                "0\r\n\r\n", 400),
            Row("a chunk size in C notation", chunked, "0x2\r\nab\r\n0\r\n\r\n", 400),
            Row("a signed chunk size", chunked, "+2\r\nab\r\n0\r\n\r\n", 400),
            Row("an empty chunk size", chunked, "\r\nab\r\n0\r\n\r\n", 400),
            Row("a chunk size of nine digits", chunked, "000000002\r\nab\r\n0\r\n\r\n", 400),
            Row("a space after the chunk size", chunked, "2 \r\nab\r\n0\r\n\r\n", 400),
            Row("a space before the chunk size", chunked, " 2\r\nab\r\n0\r\n\r\n", 400),
            Row("a chunk with bare LF", chunked, "2\nab\n0\n\n", 400),
            Row("a chunk extension with bare LF", chunked, "2;a\nab\r\n0\r\n\r\n", 400),
            Row("a chunk extension with a bare CR", chunked, "2;a\rb\r\nab\r\n0\r\n\r\n", 400),
            Row("a chunk that is longer than its size", chunked, "2\r\nabc\r\n0\r\n\r\n", 400),
            Row("a chunk without a line end", chunked, "2\r\nab0\r\n\r\n", 400),
            Row("a chunk that ends with bare LF", chunked, "2\r\nab\n0\r\n\r\n", 400),
            Row("a trailer field with bare LF", chunked, "0\r\nX-A: a\n\r\n", 400),
            Row("a folded trailer field", chunked, "0\r\nX-A: a\r\n b\r\n\r\n", 400),
            Row("a trailer field with a NUL", chunked, "0\r\nX-A: \u{0}\r\n\r\n", 400),
            Row("extensions above 4 KiB", chunked, "2;" + String(repeating: "a", count: 4097) + "\r\n", 400),
            Row("trailer fields above 4 KiB", chunked, "0\r\nX-A:" + String(repeating: "a", count: 4093), 400),
            Row("a chunk over the limit", chunked, "401\r\n", 413),
            Row("chunks over the limit", chunked, "2\r\nab\r\n3FF\r\n", 413),
            Row("the largest chunk size", chunked, "FFFFFFFF\r\n", 413),
            Row("another content coding", host + "Content-Encoding: br\r\nContent-Length: 2\r\n", "ab", 415),
            Row("a body that is not gzip", host + "Content-Encoding: gzip\r\nContent-Length: 2\r\n", "ab", 400),
            Row("a space before the colon", host + "Content-Length : 2\r\n", "ab", 400),
            Row("a line without colon", host + "Content-Length\r\n", "", 400),
            Row("a NUL in a field name", host + "X-A\u{0}B: 1\r\n", "", 400),
            Row("a bare CR in a field", host + "X-A: a\rX-B: b\r\n", "", 400),
            Row("a control character in a field", host + "X-A: a\u{1}\r\n", "", 400),
            Row("a folded line that looks like a field", host + "X-A: a\r\n X-B: b\r\n", "", 400),
            Row("no host", "Content-Length: 0\r\n", "", 400),
            Row("two hosts", host + host, "", 400),
            Row("two hosts that differ", host + "Host: b\r\n", "", 400),
            Row("an invalid method", line: "P(ST /a HTTP/1.1", host, "", 400),
            Row("an unknown method", line: "BREW /a HTTP/1.1", host, "", 501),
            Row("a space in the target", line: "GET /a b HTTP/1.1", host, "", 400),
            Row("a target without slash", line: "GET a HTTP/1.1", host, "", 400),
            Row("a fragment", line: "GET /a#b HTTP/1.1", host, "", 400),
            Row("a control character in the target", line: "GET /a\u{1}b HTTP/1.1", host, "", 400),
            Row("an incomplete escape", line: "GET /a%2 HTTP/1.1", host, "", 400),
            Row("* for GET", line: "GET * HTTP/1.1", host, "", 400),
            Row("no version", line: "GET /a", host, "", 400),
            Row("only a method", line: "GET", host, "", 400),
            Row("the start of a TLS handshake", line: "\u{16}\u{3}\u{1}", host, "", 400),
            Row("bare LF as line ends", line: "GET /a HTTP/1.1\nHost: a\n\n", "", "", 400),
            Row("bare LF in a field", line: "GET /a HTTP/1.1", host + "X-A: a\nX-B: b\r\n", "", 400),
            Row("a NUL in a field's value", line: "GET /a HTTP/1.1", host + "X-A: a\u{0}b\r\n", "", 400),
            Row("a folded field", line: "GET /a HTTP/1.1", host + "X-A: a\r\n b\r\n", "", 400),
            Row("a folded length", host + "Content-Length: 2\r\n 3\r\n", "", 400),
            Row("two spaces before the target", line: "GET  /a HTTP/1.1", host, "", 400),
            Row("two empty lines before the request", line: "\r\n\r\nGET /a HTTP/1.1", host, "", 400),
            Row("HTTP/1.2", line: "GET /a HTTP/1.2", host, "", 505),
            Row("HTTP/0.9", line: "GET /a HTTP/0.9", host, "", 505),
            Row("the preface of HTTP/2", line: "PRI * HTTP/2.0", "", "SM\r\n\r\n", 505),
            Row("a head of 20 KB", host + "X-A: " + String(repeating: "a", count: 20_000) + "\r\n", "", 431),
            Row("a head of 200 KB", host + "X-A: " + String(repeating: "a", count: 200_000) + "\r\n", "", 431),
            Row("a target of 20 KB", line: "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1", host, "", 414),
            Row("65 fields", host + String(repeating: "X-A: 1\r\n", count: 64), "", 431),
            Row("a body over the limit", host + "Content-Length: 1025\r\n", String(repeating: "a", count: 1025), 413),
            Row("a body of 1 MB", host + "Content-Length: 1000000\r\n", String(repeating: "a", count: 1_000_000), 413),
            Row("a body of 1 GB", host + "Content-Length: 1000000000\r\n", "", 413),
            Row(
                "a body over the limit that waits for 100",
                host + "Content-Length: 1025\r\nExpect: 100-continue\r\n", "", 413),
        ])
    func rejected(row: Row) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            #expect(client.send(row.sent))
            let reply = try client.receive()
            #expect(reply?.status == row.status)
            #expect(reply?.head.lowercased().contains("connection: close") == true)
            #expect(try client.endsWithoutMoreBytes())
        }
    }

    @Test("The server continues to read after a rejection, so that no reset destroys the response")
    func lingering() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            client.send(String(repeating: "a", count: 60_000))
            #expect(try client.receive()?.status == 413)
            #expect(try client.endsWithoutMoreBytes())
            for _ in 0..<20 {
                usleep(1000)
                #expect(client.send("a"))
            }
        }
    }

    @Test("100 Continue is sent for a body that will be accepted", arguments: ["100-continue", "100-Continue"])
    func expectContinue(expectation: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: \(expectation)\r\n\r\n")
            #expect(try client.receive()?.status == 100)
            client.send("ab")
            #expect(try client.receive()?.body == "POST /a  ab\n")
        }
    }

    @Test("100 Continue is not sent if there is no body, or to a client with HTTP/1.0")
    func noContinue() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.receive()?.status == 200)
            client.send("POST /a HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            client.send("ab")
            #expect(try client.receive()?.status == 200)
        }
    }

    @Test(
        "A connection stays open as requested, and `Connection` is sent unless HTTP/1.1 keeps the connection open",
        arguments: [
            ("HTTP/1.1", "", nil), ("HTTP/1.1", "Connection: keep-alive\r\n", nil),
            ("HTTP/1.1", "Connection: close\r\n", "close"), ("HTTP/1.1", "Connection: x, Close\r\n", "close"),
            ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", "close"), ("HTTP/1.0", "", "close"),
            ("HTTP/1.0", "Connection: Keep-Alive\r\n", "Keep-Alive"),
            ("HTTP/1.0", "Connection: close, keep-alive\r\n", "close"),
        ])
    func persistence(version: String, fields: String, expected: String?) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /a \(version)\r\nHost: a\r\n\(fields)\r\n")
            let reply = try #require(try client.receive())
            let line = reply.head.split(separator: "\r\n").first { $0.hasPrefix("Connection: ") }
            #expect(line.map { String($0.dropFirst("Connection: ".count)) } == expected)
            if expected == "close" {
                #expect(try client.endsWithoutMoreBytes())
            } else {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.receive()?.status == 200)
            }
        }
    }

    @Test("Requests are read in the same way wherever they are split")
    func splits() async throws {
        let requests = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nabGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for position in 1..<requests.utf8.count {
                client.send(String(requests.prefix(position)))
                client.send(String(requests.dropFirst(position)))
                #expect(try client.receive()?.body == "POST /a  ab\n")
                #expect(try client.receive()?.body == "GET /b  \n")
            }
            for character in requests { client.send(String(character)) }
            #expect(try client.receive()?.body == "POST /a  ab\n")
            #expect(try client.receive()?.body == "GET /b  \n")
        }
    }

    @Test(
        "Valid requests in various forms are answered",
        arguments: [
            ("GET /a?b=c%20d&e HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a b=c d;e=; \n"),
            ("GET /%41%20 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%41%20  \n"),
            ("POST /a HTTP/1.1\r\nhOsT: a\r\ncontent-length: 2\r\n\r\nab", "POST /a  ab\n"),
            ("PUT /a HTTP/1.1\r\nHost: a \r\nContent-Length: 2\r\n\r\nab", "PUT /a  ab\n"),
            ("DELETE /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "DELETE /a  ab\n"),
            ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /  \n"),
            ("GET /a HTTP/1.0\r\n\r\n", "GET /a  \n"),
            ("\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a  \n"),
        ])
    func answers(sent: String, expected: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(sent)
            #expect(try client.receive()?.body == expected)
        }
    }
}
