internal import CSystem

extension EgressPolicy {
    /// 127.0.0.0/8, in either notation, or ::1.
    static func isLoopback(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch IPNumber(address) {
        case .v4(let number): number >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        case nil: false
        }
    }

    /// Whether an address can belong to a host on the open Internet.
    ///
    /// Not public is what IANA's special-purpose registries (RFC 6890) keep for hosts, links, private networks,
    /// examples and tunnels, what is multicast or reserved, and where clouds answer with a machine's secrets. An IPv4
    /// address inside an IPv6 one (mapped, RFC 4291 §2.5.5.2; translated, RFC 6052 §2.1) is judged by itself.
    static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch IPNumber(address) {
        case .v4(let number): !special.contains { $0.contains(number) }
        case .v6(let high, _):
            globalUnicast.contains(UInt32(high >> 32))
                && !specialUnicast.contains { $0.contains(UInt32(high >> 32)) }
        case nil: false
        }
    }

    private static let special = [
        Prefix(0x0000_0000, 8),  // this host
        Prefix(0x0A00_0000, 8),  // private
        Prefix(0x6440_0000, 10),  // carrier-grade NAT
        Prefix(0x7F00_0000, 8),  // loopback
        Prefix(0xA83F_8110, 32),  // Azure's platform, 168.63.129.16
        Prefix(0xA9FE_0000, 16),  // link-local, and the clouds' metadata
        Prefix(0xAC10_0000, 12),  // private
        Prefix(0xC000_0000, 24),  // protocol assignments, and Oracle's metadata
        Prefix(0xC000_0200, 24),  // examples
        Prefix(0xC058_6300, 24),  // relays to IPv6
        Prefix(0xC0A8_0000, 16),  // private
        Prefix(0xC612_0000, 15),  // benchmarks
        Prefix(0xC633_6400, 24),  // examples
        Prefix(0xCB00_7100, 24),  // examples
        Prefix(0xE000_0000, 4),  // multicast
        Prefix(0xF000_0000, 4),  // reserved, broadcast
    ]

    /// 2000::/3, the only block of which addresses have been given out.
    private static let globalUnicast = Prefix(0x2000_0000, 3)

    private static let specialUnicast = [
        Prefix(0x2001_0000, 23),  // protocol assignments, Teredo
        Prefix(0x2001_0DB8, 32),  // examples
        Prefix(0x2002_0000, 16),  // 6to4
        Prefix(0x3FFF_0000, 20),  // examples
    ]
}

/// The first bits of an address, at most 32 of them.
private struct Prefix {
    private let bits: UInt32
    private let mask: UInt32

    init(_ bits: UInt32, _ length: Int) {
        self.bits = bits
        mask = ~UInt32(0) << (32 - length)
    }

    func contains(_ number: UInt32) -> Bool { number & mask == bits }
}

/// An address in host byte order.
private enum IPNumber {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self = .v4(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6:
            let high = UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let low = UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            let isMapped = high == 0 && low >> 32 == 0xFFFF
            let isTranslated = high == 0x0064_FF9B_0000_0000 && low >> 32 == 0
            self = isMapped || isTranslated ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low)
        default: return nil
        }
    }
}
