import Glibc
import Testing

@testable import HTTP

@Suite("Output that waits for the client")
struct PendingOutputTests {
    @Test("A large body is sent from the response's own memory, without a copy, and arrives complete")
    func sharedBody() throws {
        let document = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let response = Response(status: 200, body: document)
        // Any framing with a body will do. An empty request is not a HEAD request, so its response has a body.
        let framing = ResponseFraming(rejected: UnsafeRawBufferPointer(start: nil, count: 0))
        var encoder = ResponseEncoder()
        var encoded: [UInt8] = []
        #expect(encoder.encode(response, framing, into: &encoded))
        let head = encoded
        #expect(head.count < 1000)

        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var output = PendingOutput()
        let body = ResponseEncoder.sharedBody(of: response, framing)
        try #require(output.send(&encoded, then: body, to: ends[0]) == .waiting)
        #expect(output.body.withUnsafeBytes { $0.baseAddress } == document.withUnsafeBytes { $0.baseAddress })

        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while received.count < head.count + document.count {
            let count = read(ends[1], &piece, piece.count)
            if count > 0 { received += piece[..<count] } else { try #require(output.flush(to: ends[0]) != .failed) }
        }
        #expect(received == head + document)
    }
}
