import CSystem
import IPAddresses
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    /// Examples of RFC 4291 §2.2 and RFC 5952 §1, and some others.
    @Test(
        "Full and abbreviated spellings are read; IPv6 is written in full, and an IPv4-mapped address as IPv4",
        arguments: [
            ("2001:DB8:0:0:8:800:200C:417A", "2001:db8:0:0:8:800:200c:417a"),
            ("2001:DB8::8:800:200C:417A", "2001:db8:0:0:8:800:200c:417a"), ("FF01::101", "ff01:0:0:0:0:0:0:101"),
            ("::1", "0:0:0:0:0:0:0:1"), ("::", "0:0:0:0:0:0:0:0"), ("::13.1.68.3", "0:0:0:0:0:0:d01:4403"),
            ("0:0:0:0:0:FFFF:129.144.52.38", "129.144.52.38"), ("::FFFF:129.144.52.38", "129.144.52.38"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8:0:0:1:0:0:1"), ("2001:0db8:0:0:1:0:0:1", "2001:db8:0:0:1:0:0:1"),
            ("2001:db8::1:0:0:1", "2001:db8:0:0:1:0:0:1"), ("2001:db8:0:0:1::1", "2001:db8:0:0:1:0:0:1"),
            ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ])
    func spellings(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).description == expected)
    }

    @Test(
        "Text that is not an address is rejected",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1..3.4", ".1.2.3", "1.2.3.",
            "1.2.3.4 ",
            " 1.2.3.4", "1.2.3.-4", "+1.2.3.4", "0x1.2.3.4", "1.2.3.4:80", ":", ":::", "1::2::3", "::1::", ":1", "1:",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "::g", "::+1",
            "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "[::1]", "fe80::1%eth0", "::1/128", "::ffff:1.2.3.256", "١.2.3.4",
            "1:2:3:4:5:6:7:1.2.3.4", "host", "\u{0}", "::1\u{0}",
        ])
    func rejected(text: String) {
        #expect(IPAddress(text) == nil)
    }

    /// Joins any four of the pieces, which makes many kinds of malformed text.
    @Test("Text is read as inet_pton reads it")
    func system() {
        let pieces = ["", ":", "::", ".", "0", "1", "12", "255", "256", "1.2.3.4", "ffff", "f:", "2001:db8", "00001"]
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    for d in pieces { expectSameAsSystem(a + b + c + d) }
                }
            }
        }
    }

    private func expectSameAsSystem(_ text: String) {
        var (v4, v6) = (in_addr(), in6_addr())
        var expected: IPAddress?
        if inet_pton(AF_INET, text, &v4) == 1 {
            expected = IPAddress(ipv4: UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            expected = withUnsafeBytes(of: v6) { bytes in
                IPAddress(
                    high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            }
        }
        if IPAddress(text) != expected { Issue.record("\(text): expected \(String(describing: expected))") }
    }

    @Test(
        "An address is loopback if it is ::1 or in 127.0.0.0/8, even as an IPv4-mapped address",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("128.0.0.1", false), ("126.255.255.255", false), ("::2", false), ("::", false), ("1::1", false),
            ("64:ff9b::127.0.0.1", false),
        ])
    func loopback(text: String, expected: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == expected)
    }

    /// 168.63.129.16 is an address of Azure's platform.
    @Test(
        "An address is public unless it is unallocated or reserved for a special purpose",
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
    func isPublic(text: String, expected: Bool) throws {
        #expect(try #require(IPAddress(text)).isPublic == expected)
    }
}
