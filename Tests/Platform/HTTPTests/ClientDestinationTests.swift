import EventLoop
import HTTP
import Testing

@Suite("Destinations of a client", .timeLimit(.minutes(5)))
struct ClientDestinationTests {
    @Test(
        "A URL is rejected unless it is a valid http or https URL with a host and without a user",
        arguments: [
            "", "/a", "example.com", "//example.com/", "https://", "https:///", "http://[::1",
            "http://127.0.0.1:99999/",
            "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "smtp://127.0.0.1/", "javascript:1",
            "https://user@127.0.0.1/", "https://user:password@127.0.0.1/", "http://127.0.0.1/a b",
            "http://127.0.0.1/\r\nX-A: 1", "http://127.0.0.1/\u{0}", "https://exämple.com/",
            "http://127.0.0.1/" + String(repeating: "a", count: 8192),
        ])
    func invalid(url: String) async throws {
        try await withClient { client in
            await #expect(throws: ClientFault.invalidURL) {
                try await client.send(ClientRequest(.get, url, destination: .fromOperator))
            }
        }
    }

    @Test(
        "A host from a project's configuration is rejected if its address is not public",
        arguments: [
            "127.0.0.1", "127.1.2.3", "[::1]", "localhost", "LOCALHOST", "0.0.0.0", "[::]", "10.0.0.1",
            "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fc00::1]",
            "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%251]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]",
            "[64:ff9b::7f00:1]", "224.0.0.1", "255.255.255.255", "[ff02::1]", "127.1", "2130706433", "0x7f000001",
            "0177.0.0.1", "0",
        ])
    func privateAddress(host: String) async throws {
        let server = try RawServer { $0.answer("a") }
        try await withClient { client in
            await #expect(throws: ClientFault.destinationNotAllowed) {
                try await client.send(
                    ClientRequest(
                        .get, "https://\(host):\(server.port)/", deadline: .seconds(3),
                        destination: .fromProject(allowingPrivateAddresses: false)))
            }
        }
        #expect(server.connections == 0)
    }

    @Test("A host from a project's configuration may be private if the operator allows private addresses")
    func allowed() async throws {
        // The server closes each connection at once, so the TLS handshake fails.
        let server = try RawServer { _ in }
        try await withClient { client in
            await #expect(throws: ClientFault.tlsFailed) {
                try await client.send(
                    ClientRequest(
                        .get, "https://127.0.0.1:\(server.port)/",
                        destination: .fromProject(allowingPrivateAddresses: true)))
            }
        }
        #expect(server.connections == 1)
    }

    @Test(
        "An http URL is rejected if it is from a project's configuration or its host is not loopback",
        arguments: [
            ("http://127.0.0.1", ClientRequest.Destination.fromProject(allowingPrivateAddresses: true)),
            ("http://127.0.0.1", .fromProject(allowingPrivateAddresses: false)),
            ("http://192.0.2.1", .fromProject(allowingPrivateAddresses: false)), ("http://192.0.2.1", .fromOperator),
            ("http://10.0.0.1", .fromOperator), ("http://0.0.0.0", .fromOperator),
            ("http://[2001:db8::1]", .fromOperator), ("http://[64:ff9b::7f00:1]", .fromOperator),
        ])
    func unencrypted(origin: String, destination: ClientRequest.Destination) async throws {
        let server = try RawServer { $0.answer("a") }
        try await withClient { client in
            await #expect(throws: ClientFault.destinationNotAllowed) {
                try await client.send(
                    ClientRequest(.get, "\(origin):\(server.port)/", deadline: .seconds(3), destination: destination))
            }
        }
        #expect(server.connections == 0)
    }

    @Test(
        "An http URL of the operator is accepted if its host is loopback, by address or by name",
        arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
    func loopback(host: String) async throws {
        let server = try RawServer { connection in
            _ = connection.receiveHead()
            connection.answer("a")
        }
        try await withClient { client in
            let response = try await client.send(
                ClientRequest(.get, "http://\(host):\(server.port)/", destination: .fromOperator))
            #expect(response.text == "a")
        }
    }
}
