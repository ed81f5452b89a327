import IPAddresses
import Identity
import Testing

@testable import API

@Suite("Address of the client")
struct ClientAddressTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var peer = "10.0.0.1"
        /// The values of `X-Forwarded-For`.
        var forwardedFor: [String] = []
        /// The networks of the trusted proxies.
        var trusted = ["10.0.0.0/8", "fd00::/8"]
        /// The expected prefix to which the narrowest rate limit applies.
        let prefix: String
        /// The expected prefix in log lines, which is too wide to identify a user.
        let logPrefix: String
    }

    /// The search begins with the peer's address, continues with the entries of `X-Forwarded-For` from right to left,
    /// and ends before an invalid entry.
    @Test(
        "The client's address is the first address outside the trusted networks, or the last one if none is outside",
        arguments: [
            Row(testDescription: "no proxy", peer: "192.0.2.7", prefix: "192.0.2.7", logPrefix: "192.0.2.0/24"),
            Row(
                testDescription: "no proxy, with a forged header", peer: "192.0.2.7", forwardedFor: ["198.51.100.1"],
                prefix: "192.0.2.7", logPrefix: "192.0.2.0/24"),
            Row(
                testDescription: "one proxy", forwardedFor: ["198.51.100.1"], prefix: "198.51.100.1",
                logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "one proxy, with a forged address in front",
                forwardedFor: ["203.0.113.5, 198.51.100.1"],
                prefix: "198.51.100.1", logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "one proxy that adds a header field of its own",
                forwardedFor: ["203.0.113.5", "198.51.100.1"], prefix: "198.51.100.1", logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "two proxies", forwardedFor: ["198.51.100.1,10.1.1.1"], prefix: "198.51.100.1",
                logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "only trusted proxies", forwardedFor: ["10.2.2.2, 10.1.1.1"], prefix: "10.2.2.2",
                logPrefix: "10.2.2.0/24"),
            Row(testDescription: "a trusted proxy without the header", prefix: "10.0.0.1", logPrefix: "10.0.0.0/24"),
            Row(
                testDescription: "an invalid rightmost hop", forwardedFor: ["198.51.100.1, unknown"],
                prefix: "10.0.0.1",
                logPrefix: "10.0.0.0/24"),
            Row(
                testDescription: "an invalid hop behind a trusted proxy", forwardedFor: ["198.51.100.1, x, 10.1.1.1"],
                prefix: "10.1.1.1", logPrefix: "10.1.1.0/24"),
            Row(
                testDescription: "an empty hop", forwardedFor: ["198.51.100.1,"], prefix: "10.0.0.1",
                logPrefix: "10.0.0.0/24"),
            Row(
                testDescription: "an address with a port", forwardedFor: ["198.51.100.1:4711"], prefix: "198.51.100.1",
                logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "an IPv6 address in brackets, with a port", forwardedFor: ["[2001:db8:1:2::9]:4711"],
                prefix: "2001:db8:1:2:0:0:0:0/64", logPrefix: "2001:db8:1:0:0:0:0:0/48"),
            Row(
                testDescription: "an IPv6 address", peer: "2001:DB8:1:2:3:4:5:6",
                prefix: "2001:db8:1:2:0:0:0:0/64", logPrefix: "2001:db8:1:0:0:0:0:0/48"),
            Row(
                testDescription: "another address in the same /64", peer: "2001:db8:0001:2::ffff:1",
                prefix: "2001:db8:1:2:0:0:0:0/64", logPrefix: "2001:db8:1:0:0:0:0:0/48"),
            Row(
                testDescription: "an IPv4-mapped IPv6 address", peer: "::ffff:192.0.2.7", prefix: "192.0.2.7",
                logPrefix: "192.0.2.0/24"),
            Row(
                testDescription: "an IPv4-mapped IPv6 address in hexadecimal", peer: "::ffff:c000:207",
                prefix: "192.0.2.7", logPrefix: "192.0.2.0/24"),
            Row(
                testDescription: "a trusted proxy with an IPv4-mapped IPv6 address", peer: "::ffff:10.0.0.1",
                forwardedFor: ["198.51.100.1"], prefix: "198.51.100.1", logPrefix: "198.51.100.0/24"),
            Row(
                testDescription: "an IPv6 proxy", peer: "fd12::1", forwardedFor: ["198.51.100.1"],
                prefix: "198.51.100.1", logPrefix: "198.51.100.0/24"),
            Row(testDescription: "no address at all", peer: "", prefix: "unknown", logPrefix: "unknown"),
        ])
    func address(row: Row) {
        let network = ClientNetwork(
            peer: row.peer, forwardedFor: row.forwardedFor, trusted: row.trusted.compactMap(IPNetwork.init))
        #expect(network.levels[0].prefix == row.prefix)
        #expect(network.widest.prefix == row.logPrefix)
    }

    /// `x4` means that a rate limit is four times as high for this prefix. Known networks of an account are those from
    /// which its sessions were opened recently.
    @Test(
        "Rate limits are higher for shorter prefixes; a known network is a /24 or /56, unless the address is unknown",
        arguments: [
            ("192.0.2.7", ["192.0.2.7 x1", "192.0.2.0/24 x4"], "192.0.2.0/24"),
            (
                "2001:db8:1:2345::9",
                ["2001:db8:1:2345:0:0:0:0/64 x1", "2001:db8:1:2300:0:0:0:0/56 x4", "2001:db8:1:0:0:0:0:0/48 x16"],
                "2001:db8:1:2300:0:0:0:0/56"
            ),
            ("", ["unknown x1"], nil),
        ] as [(String, [String], String?)])
    func levels(peer: String, levels: [String], knownNetwork: String?) {
        let network = ClientNetwork(peer: peer, forwardedFor: [], trusted: [])
        #expect(network.levels.map { "\($0.prefix) x\($0.factor)" } == levels)
        #expect(network.knownNetworkPrefix == knownNetwork)
    }

    @Test("A trusted range of all IPv6 addresses includes no IPv4 address")
    func familiesAreApart() throws {
        let network = ClientNetwork(
            peer: "192.0.2.7", forwardedFor: ["198.51.100.1"], trusted: [try #require(IPNetwork("::/0"))])
        #expect(network.levels[0].prefix == "192.0.2.7")
    }
}
