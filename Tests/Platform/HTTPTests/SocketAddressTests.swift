import EventLoop
import Testing

@testable import HTTP

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "An address is written in canonical form, and an IPv4-mapped IPv6 address as IPv4",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("203.0.113.255", "203.0.113.255"), ("::1", "::1"),
            ("2001:DB8:0:0::1", "2001:db8::1"), ("::ffff:203.0.113.7", "203.0.113.7"), ("64:ff9b::1", "64:ff9b::1"),
        ])
    func numeric(address: String, expected: String) throws {
        let parsed = try SocketAddress(numeric: address, port: 8080)
        #expect(parsed.withPointer { pointer, _ in SocketAddress.numericText(of: pointer) } == expected)
        #expect(parsed.port == 8080)
    }

    @Test(
        "An address that is not numeric is rejected",
        arguments: ["", "localhost", "1.2.3", "127.0.0.1:80", "[::1]", "fe80::1%eth0"])
    func notNumeric(address: String) {
        #expect(throws: SystemError.self) { try SocketAddress(numeric: address, port: 0) }
    }
}
