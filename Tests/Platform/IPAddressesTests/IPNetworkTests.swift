import IPAddresses
import Testing

@Suite("Networks to which rate limits apply")
struct RateLimitNetworksTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String { "\(first) and \(second): \(shared)" }
        let first: String
        let second: String
        /// Whether both addresses are in the same network, for each prefix length, beginning with the longest.
        let shared: [Bool]

        init(_ first: String, _ second: String, _ shared: [Bool]) {
            self.first = first
            self.second = second
            self.shared = shared
        }
    }

    @Test(
        "Two addresses have a network in common if and only if they have its prefix in common",
        arguments: [
            Row("192.0.2.1", "192.0.2.1", [true, true]),
            Row("192.0.2.1", "192.0.2.254", [false, true]),
            Row("192.0.2.1", "192.0.3.1", [false, false]),
            Row("192.0.2.1", "::ffff:192.0.2.1", [true, true]),
            Row("::1", "::2", [true, true, true]),
            Row("2001:db8:1:2:3::1", "2001:db8:1:2:ffff::", [true, true, true]),
            Row("2001:db8:1:2::1", "2001:db8:1:3::1", [false, true, true]),
            Row("2001:db8:1:80::1", "2001:db8:1::1", [false, true, true]),
            Row("2001:db8:1:200::1", "2001:db8:1:100::1", [false, false, true]),
            Row("2001:db8:1:8000::1", "2001:db8:1::1", [false, false, true]),
            Row("2001:db8:1::1", "2001:db8:2::1", [false, false, false]),
        ])
    func shared(row: Row) throws {
        let networks = try [row.first, row.second].map { try #require(IPAddress($0)).rateLimitNetworks }
        #expect(zip(networks[0], networks[1]).map { $0 == $1 } == row.shared)
        #expect(networks.allSatisfy { $0.count == row.shared.count })
    }

    @Test(
        "A network is written with its prefix length, except a single IPv4 address",
        arguments: [
            ("192.0.2.7", ["192.0.2.7", "192.0.2.0/24"]),
            (
                "2001:db8:1:2345::9",
                ["2001:db8:1:2345:0:0:0:0/64", "2001:db8:1:2300:0:0:0:0/56", "2001:db8:1:0:0:0:0:0/48"]
            ),
        ] as [(String, [String])])
    func text(address: String, expected: [String]) throws {
        #expect(try #require(IPAddress(address)).rateLimitNetworks.map(\.description) == expected)
    }
}

@Suite("Networks")
struct IPNetworkTests {
    @Test("Networks with different prefix lengths are different, even with the same address")
    func lengths() {
        let zero = IPAddress(high: 0, low: 0)
        #expect(Set([0, 48, 56, 64, 120, 128].map { IPNetwork(zero, length: $0) }).count == 6)
    }

    @Test(
        "A network contains the addresses of its family that have its prefix, and no others",
        arguments: [
            ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.0/24", "::ffff:192.0.2.1", true), ("0.0.0.0/0", "255.255.255.255", true),
            ("0.0.0.0/0", "::1", false), ("::/0", "192.0.2.1", false), ("::/0", "ff02::1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
            ("2001:db8::/65", "2001:db8:0:0:7fff::", true), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
            ("::1", "::1", true), ("::1", "::2", false), ("10.0.0.1", "10.0.0.1", true),
        ])
    func contains(network: String, address: String, expected: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(#require(IPAddress(address))) == expected)
        #expect([try #require(IPNetwork(network))].contain(address) == expected)
    }

    @Test(
        "Text is rejected if it is not an address with an optional prefix length, or sets bits after the prefix",
        arguments: [
            "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "0.0.0.0/-0", "2001:db8::1/32",
            "::/129",
            "10.0/8", "host",
            "10.0.0.0/8/8", "/8",
        ])
    func rejected(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "A network can be one address or all addresses of a family",
        arguments: ["10.0.0.1", "10.0.0.1/32", "0.0.0.0/0", "::1", "::/0"])
    func accepted(text: String) {
        #expect(IPNetwork(text) != nil)
    }
}
