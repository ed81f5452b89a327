extension IPAddress {
    /// Whether the address can belong to a host on the public Internet.
    ///
    /// Not public are: special-purpose ranges of IANA's registries (RFC 6890), for example private and link-local
    /// addresses; multicast and reserved ranges; and the addresses of the metadata services of cloud platforms, which
    /// return secrets. For an address in 64:ff9b::/96, the result is that of the IPv4 address that a NAT64 translator
    /// reaches.
    public var isPublic: Bool {
        let address = translatedByNAT64
        guard !address.isIPv4 else { return !Self.specialIPv4.contains { $0.contains(address) } }
        return Self.globalUnicast.contains(address) && !Self.specialIPv6.contains { $0.contains(address) }
    }

    /// The IPv4 address that a NAT64 translator reaches for an address in 64:ff9b::/96 (RFC 6052 §2.1); for any other
    /// address, the address itself.
    private var translatedByNAT64: IPAddress {
        let isTranslated = high == 0x0064_FF9B_0000_0000 && low >> 32 == 0
        return isTranslated ? IPAddress(ipv4: UInt32(truncatingIfNeeded: low)) : self
    }

    private static let specialIPv4 = [
        ipv4(0, 0, 0, 0, 8),  // this host
        ipv4(10, 0, 0, 0, 8),  // private
        ipv4(100, 64, 0, 0, 10),  // carrier-grade NAT
        ipv4(127, 0, 0, 0, 8),  // loopback
        ipv4(168, 63, 129, 16, 32),  // Azure's platform
        ipv4(169, 254, 0, 0, 16),  // link-local, with the metadata services of cloud platforms
        ipv4(172, 16, 0, 0, 12),  // private
        ipv4(192, 0, 0, 0, 24),  // protocol assignments, with Oracle's metadata service
        ipv4(192, 0, 2, 0, 24),  // documentation
        ipv4(192, 88, 99, 0, 24),  // 6to4 relays
        ipv4(192, 168, 0, 0, 16),  // private
        ipv4(198, 18, 0, 0, 15),  // benchmarking
        ipv4(198, 51, 100, 0, 24),  // documentation
        ipv4(203, 0, 113, 0, 24),  // documentation
        ipv4(224, 0, 0, 0, 4),  // multicast
        ipv4(240, 0, 0, 0, 4),  // reserved, broadcast
    ]

    /// The only block from which global unicast addresses have been assigned.
    private static let globalUnicast = ipv6(0x2000_0000, 3)

    private static let specialIPv6 = [
        ipv6(0x2001_0000, 23),  // protocol assignments, Teredo
        ipv6(0x2001_0DB8, 32),  // documentation
        ipv6(0x2002_0000, 16),  // 6to4
        ipv6(0x3FFF_0000, 20),  // documentation
    ]

    private static func ipv4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ length: Int) -> IPNetwork {
        IPNetwork(IPAddress(ipv4: a << 24 | b << 16 | c << 8 | d), length: length)
    }

    /// - Parameter first: the first four bytes; the others are zero.
    private static func ipv6(_ first: UInt64, _ length: Int) -> IPNetwork {
        IPNetwork(IPAddress(high: first << 32, low: 0), length: length)
    }
}
