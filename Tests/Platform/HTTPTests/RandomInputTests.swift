import HTTP
import Testing

@Suite("Random input", .timeLimit(.minutes(5)))
struct RandomInputTests {
    private let request = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab"

    @Test("Randomly changed requests do not stop the server, and leave no connection open", arguments: 1...2)
    func survives(loops: Int) async throws {
        try await withServer(loops: loops) { server in
            for seed in 0..<200 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                let client = try RawClient(port: server.port)
                for _ in 0..<3 {
                    var remaining = random.mutated(request)[...]
                    while !remaining.isEmpty {
                        let piece = remaining.prefix(.random(in: 1...80, using: &random))
                        client.send(bytes: Array(piece))
                        remaining = remaining.dropFirst(piece.count)
                    }
                }
                if Bool.random(using: &random) { client.resetWhenReleased() }
            }
            let client = try RawClient(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive()?.status == 200)
            while server.connections > 1 { await Task.yield() }
            #expect(server.reservedBodyBytes == 0)
        }
    }
}
