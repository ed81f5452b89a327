import HTTP
import Testing

@Suite("Limits of connections", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let busyAddress: UInt32 = 0x7F00_0001  // 127.0.0.1
    private static let addressInSameNetwork: UInt32 = 0x7F00_0002  // 127.0.0.2
    private static let addressInOtherNetwork: UInt32 = 0x7F00_0102  // 127.0.1.2

    private func isServed(_ client: RawClient) throws -> Bool {
        client.send(get)
        return try client.receive()?.status == 200
    }

    @Test("Connections of one address are limited, and those of other addresses are served", arguments: [1, 2])
    func perAddress(loops: Int) async throws {
        let limits = Limits(connectionsPerAddress: 3, isExempt: { _ in false })
        try await withServer(loops: loops, limits: limits) { server in
            var held = try (0..<3).map { _ in try RawClient(port: server.port, from: Self.busyAddress) }
            for client in held { #expect(try isServed(client)) }
            for _ in 0..<5 { #expect(try RawClient(port: server.port, from: Self.busyAddress).endsWithoutMoreBytes()) }
            #expect(server.connectionsRejectedAtNetworkLimit == 5)
            #expect(try isServed(RawClient(port: server.port, from: Self.addressInSameNetwork)))
            held.removeLast()
            while server.connections > 2 { await Task.yield() }
            #expect(try isServed(RawClient(port: server.port, from: Self.busyAddress)))
        }
    }

    @Test("A /24 may have four times as many connections as one address")
    func perNetwork() async throws {
        let limits = Limits(connectionsPerAddress: 2, isExempt: { _ in false })
        try await withServer(limits: limits) { server in
            // Two connections from each of 127.0.0.1 to 127.0.0.4, and then one from 127.0.0.5.
            let held = try (0..<8).map { try RawClient(port: server.port, from: Self.busyAddress + UInt32($0 / 2)) }
            for client in held { #expect(try isServed(client)) }
            #expect(try RawClient(port: server.port, from: Self.busyAddress + 4).endsWithoutMoreBytes())
            #expect(server.connectionsRejectedAtNetworkLimit == 1)
            #expect(try isServed(RawClient(port: server.port, from: Self.addressInOtherNetwork)))
        }
    }

    /// Loopback addresses are exempt by default.
    @Test(
        "Connections of one address are not limited if the address is exempt or no limit is set",
        arguments: [Limits(connectionsPerAddress: 1), Limits(connectionsPerAddress: nil, isExempt: { _ in false })])
    func exempt(limits: Limits) async throws {
        try await withServer(limits: limits) { server in
            let held = try (0..<20).map { _ in try RawClient(port: server.port) }
            for client in held { #expect(try isServed(client)) }
            #expect(server.connectionsRejectedAtNetworkLimit == 0)
        }
    }

    @Test("When the number of connections nears its limit, those that were idle longest are closed")
    func longestIdle() async throws {
        try await withServer(limits: Limits(connections: 16)) { server in
            var held: [RawClient] = []
            for _ in 0..<15 {
                held.append(try RawClient(port: server.port))
                #expect(try isServed(held[held.count - 1]))
            }
            #expect(try isServed(held[0]))
            // The limit is 16. For each connection after the 15th, the server closes the one that was idle longest.
            let next = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in next { #expect(try isServed(client)) }
            #expect(server.connectionsClosedIdle == 2)
            for client in held[1...2] { #expect(try client.endsWithoutMoreBytes()) }
            for client in [held[0]] + held[3...] + next { #expect(try isServed(client)) }
            #expect(server.connectionsRejectedAtTotalLimit == 0)
        }
    }

    @Test("The number of connections does not exceed the limit, and busy connections are not closed")
    func total() async throws {
        let gate = Gate()
        let handler: Handler = { request in
            await gate.pass()
            return await echo(request)
        }
        try await withServer(limits: Limits(connections: 16), handler: handler) { server in
            var busy: [RawClient] = []
            for number in 1...16 {
                busy.append(try RawClient(port: server.port))
                busy[number - 1].send(get)
                while gate.arrivals < number { await Task.yield() }
            }
            #expect(try RawClient(port: server.port).endsWithoutMoreBytes())
            #expect(server.connectionsRejectedAtTotalLimit == 1)
            #expect(server.connections == 16)
            gate.open()
            for client in busy { #expect(try client.receive()?.status == 200) }
            #expect(server.connectionsClosedIdle == 0)
            #expect(try isServed(RawClient(port: server.port)))
        }
    }
}
