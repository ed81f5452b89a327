import Curl
import EventLoop
import Testing

@testable import HTTP

@Suite("A client's destination", .timeLimit(.minutes(1)))
struct ClientDestinationTests {
    @Test(
        "must be an http or https URL",
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
                try await client.send(ClientRequest(.get, url, destination: .anywhere))
            }
        }
    }

    @Test(
        "chosen by a configuration is not private",
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
                        destination: .configured(allowingPrivate: false)))
            }
        }
        #expect(server.connections == 0)
    }

    @Test("chosen by a configuration may be private if the operator allows it")
    func allowed() async throws {
        let server = try RawServer { _ in }
        try await withClient { client in
            await #expect(throws: ClientFault.tlsFailed) {
                try await client.send(
                    ClientRequest(
                        .get, "https://127.0.0.1:\(server.port)/", destination: .configured(allowingPrivate: true)))
            }
        }
        #expect(server.connections == 1)
    }

    @Test(
        "is not asked in the clear, unless it is this machine and was chosen by us",
        arguments: [
            ("http://127.0.0.1", ClientRequest.Destination.configured(allowingPrivate: true)),
            ("http://127.0.0.1", .configured(allowingPrivate: false)),
            ("http://192.0.2.1", .configured(allowingPrivate: false)), ("http://192.0.2.1", .anywhere),
            ("http://10.0.0.1", .anywhere), ("http://0.0.0.0", .anywhere), ("http://[2001:db8::1]", .anywhere),
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

    @Test("may be this machine, by its name as well", arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
    func loopback(host: String) async throws {
        let server = try RawServer { connection in
            _ = connection.head()
            connection.answer("a")
        }
        try await withClient { client in
            let response = try await client.send(
                ClientRequest(.get, "http://\(host):\(server.port)/", destination: .anywhere))
            #expect(response.text == "a")
        }
    }

    @Test(
        "is public if its address is",
        arguments: [
            ("1.0.0.1", true), ("9.255.255.255", true), ("11.0.0.0", true), ("17.253.144.10", true),
            ("100.63.255.255", true), ("100.128.0.0", true), ("128.0.0.1", true), ("126.255.255.255", true),
            ("168.63.129.15", true), ("168.63.129.16", false), ("169.253.255.255", true), ("169.255.0.0", true),
            ("172.15.255.255", true), ("172.32.0.0", true), ("192.0.0.192", false), ("192.0.1.0", true),
            ("192.0.2.1", false), ("192.167.255.255", true), ("192.169.0.0", true), ("198.17.255.255", true),
            ("198.18.0.0", false), ("198.19.255.255", false), ("198.20.0.0", true), ("198.51.100.1", false),
            ("203.0.113.1", false), ("223.255.255.255", true), ("224.0.0.0", false), ("240.0.0.0", false),
            ("255.255.255.255", false), ("0.0.0.0", false), ("0.255.255.255", false), ("10.255.255.255", false),
            ("100.64.0.0", false), ("100.127.255.255", false), ("127.255.255.255", false), ("169.254.0.0", false),
            ("172.16.0.0", false), ("192.168.255.255", false), ("192.88.99.1", false),
            ("2620:149:af0::10", true), ("2a00:1450:4001:80b::200a", true), ("2001:4860:4860::8888", true),
            ("2001:0:1::1", false), ("2001:1ff::1", false), ("2001:200::1", true), ("2001:db8::1", false),
            ("2001:db9::1", true), ("2002:7f00:1::", false), ("3fff::1", false), ("3fff:1000::1", true),
            ("4000::1", false),
            ("1fff::1", false), ("::", false), ("::1", false), ("::8.8.8.8", false), ("::ffff:8.8.8.8", true),
            ("::ffff:192.168.0.1", false), ("64:ff9b::8.8.8.8", true), ("64:ff9b::10.0.0.1", false),
            ("64:ff9b:1::8.8.8.8", false), ("100::1", false), ("fc00::", false), ("fdff::1", false), ("fe80::1", false),
            ("fec0::1", false), ("ff02::1", false),
        ])
    func publicAddress(text: String, expected: Bool) throws {
        let address = try SocketAddress(numeric: text, port: 443)
        #expect(address.withPointer { pointer, _ in EgressPolicy.publicAddresses.contains(pointer) } == expected)
    }
}
