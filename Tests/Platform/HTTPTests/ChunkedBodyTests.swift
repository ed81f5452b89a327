import HTTP
import Testing

@testable import HTTP

@Suite("Chunked bodies", .timeLimit(.minutes(5)))
struct ChunkedBodyTests {
    private static let head = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"

    @Test(
        "A chunked body is read without its framing, and the next request follows it",
        arguments: [
            ("2\r\nab\r\n0\r\n\r\n", "ab"), ("0\r\n\r\n", ""), ("1\r\na\r\n00000001\r\nb\r\n00\r\n\r\n", "ab"),
            ("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
            ("2;name=value;other=\"a b\"\r\nab\r\n0;last\r\n\r\n", "ab"),
            ("2\r\nab\r\n0\r\nX-A: a\r\nContent-Length: 5\r\n\r\n", "ab"),
            ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
        ])
    func accepted(body: String, content: String) async throws {
        let sent = Self.head + "\r\n" + body + "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        try await withServer { server in
            for piece in [sent.utf8.count, 1, 3] {
                let client = try RawClient(port: server.port)
                var rest = Array(sent.utf8)[...]
                while !rest.isEmpty {
                    client.send(String(decoding: rest.prefix(piece), as: UTF8.self))
                    rest = rest.dropFirst(piece)
                }
                #expect(try client.receive()?.body == "POST /a  \(content)\n")
                #expect(try client.receive()?.body == "GET /b  \n")
            }
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test("A randomly changed body has the same result whether it arrives whole or in random pieces")
    func splits() {
        for seed in 0..<2000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let bytes = random.mutated("3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX-A: b\r\n\r\nGET")
            let whole = outcome(of: bytes) { $0 }
            #expect(outcome(of: bytes) { min($0, .random(in: 1...5, using: &random)) } == whole, "seed \(seed)")
        }
    }

    /// Decodes pieces of `bytes`. The closure gets the number of remaining bytes, and returns the size of a piece.
    private func outcome(of bytes: [UInt8], size: (Int) -> Int) -> String {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        var position = 0
        do throws(BodyRejection) {
            while position < bytes.count, !decoder.isComplete {
                let end = position + size(bytes.count - position)
                let result: Result<Int, BodyRejection> = bytes[position..<end].withUnsafeBytes { piece in
                    Result { () throws(BodyRejection) in try decoder.decode(piece, into: &content, limit: 100) }
                }
                position += try result.get()
            }
            return "\(decoder.isComplete) \(position) \(content)"
        } catch {
            return "\(error)"
        }
    }

    @Test("The memory of a chunked body is reserved while the body arrives, and released with its connection")
    func memory() async throws {
        try await withServer(bodyLimit: 50_000) { server in
            do {
                let client = try RawClient(port: server.port)
                client.send(Self.head + "\r\n9C40\r\n" + String(repeating: "x", count: 20_000))
                while server.reservedBodyBytes < 20_000 { await Task.yield() }
                #expect(server.reservedBodyBytes <= 50_000)
            }
            while server.reservedBodyBytes > 0 { await Task.yield() }
        }
    }

    @Test("A chunked body that does not fit into the budget is answered with 503")
    func budget() async throws {
        try await withServer(limits: Limits(bodyBudgetBytes: 100_000), bodyLimit: 50_000) { server in
            let client = try RawClient(port: server.port)
            client.send(Self.head + "\r\n9C40\r\n" + String(repeating: "x", count: 40_000))
            #expect(try client.receive()?.status == 503)
            #expect(server.bodiesRejected == 1)
        }
    }

    @Test("The client of a chunked body gets 100 Continue")
    func expectContinue() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(Self.head + "Expect: 100-continue\r\n\r\n")
            #expect(try client.receive()?.status == 100)
            client.send("2\r\nab\r\n0\r\n\r\n")
            #expect(try client.receive()?.body == "POST /a  ab\n")
        }
    }

    @Test("A chunked or compressed body on a route whose large bodies are checked is read only after the check")
    func check() async throws {
        let handler = RequestHandler(
            bodyLimit: { _, _ in
                .checked(max: 300_000, uncheckedUpTo: 2000) { $0.path == "/key" ? nil : .text(status: 401, "No key") }
            }, { .text(status: 200, "\($0.body.count)") })
        try await withServer(requestHandler: handler) { server in
            for field in ["Transfer-Encoding: chunked", "Content-Length: 30\r\nContent-Encoding: gzip"] {
                let client = try RawClient(port: server.port)
                client.send("POST /other HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
                #expect(try client.receive()?.status == 401)
            }
            let client = try RawClient(port: server.port)
            client.send("POST /key HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
            #expect(try client.receive()?.body == "2\n")
        }
    }
}
