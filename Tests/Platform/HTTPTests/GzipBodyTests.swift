import CSystem
import EventLoop
import Synchronization
import Testing

@testable import HTTP

@Suite("Bodies with the content coding gzip", .timeLimit(.minutes(5)))
struct GzipBodyTests {
    /// `content` in the gzip format, without compression (RFC 1951 §3.2.4, RFC 1952 §2.3).
    private static func gzip(_ content: [UInt8], size: Int? = nil, emptyBlocks: Int = 0) -> [UInt8] {
        func littleEndian(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let block = [1] + littleEndian(content.count, bytes: 2) + littleEndian(~content.count & 0xFFFF, bytes: 2)
        let checksum = Int(crc32(0, content, UInt32(content.count)))
        let empty = Array(repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: emptyBlocks).joined())
        return header + empty + block + content + littleEndian(checksum, bytes: 4)
            + littleEndian(size ?? content.count, bytes: 4)
    }

    private static func request(_ body: [UInt8], coding: String = "gzip") -> [UInt8] {
        let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    @Test("A compressed body is decoded before the handler runs", arguments: ["gzip", "GZIP", "x-gzip"])
    func decoded(coding: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for text in ["ab", ""] {
                client.send(bytes: Self.request(Self.gzip(Array(text.utf8)), coding: coding))
                #expect(try client.receive()?.body == "POST /a  \(text)\n")
            }
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test("A chunked compressed body is decoded")
    func chunked() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let body = Self.gzip(Array("ab".utf8))
            let fields = "Host: a\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
            client.send("POST /a HTTP/1.1\r\n\(fields)\r\n\(String(body.count, radix: 16))\r\n")
            client.send(bytes: body)
            client.send("\r\n0\r\n\r\n")
            #expect(try client.receive()?.body == "POST /a  ab\n")
        }
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: [UInt8]
        let status: Int
    }

    private static let valid = gzip(Array("ab".utf8))

    @Test(
        "A body that is not one valid gzip member, or whose content is too large, is rejected",
        arguments: [
            Row(testDescription: "an empty body", body: [], status: 400),
            Row(testDescription: "a truncated body", body: valid.dropLast(), status: 400),
            Row(testDescription: "a wrong checksum", body: valid.dropLast(5) + [0] + valid.suffix(4), status: 400),
            Row(testDescription: "a size that is too small", body: gzip(Array("ab".utf8), size: 1), status: 400),
            Row(testDescription: "a size that is too large", body: gzip(Array("ab".utf8), size: 3), status: 400),
            Row(testDescription: "bytes after the member", body: valid + [0], status: 400),
            Row(testDescription: "two members", body: valid + valid, status: 400),
            Row(testDescription: "the format zlib", body: [0x78, 0x9C] + valid.dropFirst(2), status: 400),
            // `withServer` allows bodies of 1024 bytes.
            Row(testDescription: "a size above the limit", body: gzip(Array("ab".utf8), size: 1025), status: 413),
            Row(testDescription: "a size of 4 GB", body: gzip(Array("ab".utf8), size: 0xFFFF_FFFF), status: 413),
        ])
    func rejected(row: Row) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: Self.request(row.body))
            #expect(try client.receive()?.status == row.status)
            #expect(try client.endsWithoutMoreBytes())
            #expect(server.reservedBodyBytes == 0)
        }
    }

    @Test("A body of many blocks is decoded in slices, between which the event loop runs other tasks")
    func slices() async throws {
        let loop = try Loop(name: "test")
        let body = try GzipBody(Self.gzip(Array("ab".utf8), emptyBlocks: 200_000))
        let isDecoded = Flag()
        let (content, turns) = try await Task(executorPreference: loop) { [loop] in
            // Begins when this task yields.
            let decoding = Task(executorPreference: loop) {
                defer { isDecoded.set() }
                return try await body.decoded()
            }
            var turns = 0
            while !isDecoded.isSet {
                turns += 1
                await Task.yield()
            }
            return (try await decoding.value, turns)
        }.value
        #expect(content == Array("ab".utf8))
        #expect(turns > 30)
        loop.stop()
    }

    @Test("The decoded size counts against the budget of bodies")
    func budget() async throws {
        try await withServer(limits: Limits(bodyBudgetBytes: 4000)) { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: Self.request(Self.gzip(Array("ab".utf8), size: 1000)))
            #expect(try client.receive()?.status == 503)
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
