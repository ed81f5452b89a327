/// An IPv4 or IPv6 address. An IPv4 address is kept as IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), so that both
/// spellings of it are one value.
public struct IPAddress: Hashable, Sendable {
    /// The first eight bytes in host byte order.
    public let high: UInt64
    /// The last eight bytes in host byte order.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter ipv4: in host byte order.
    public init(ipv4: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix | UInt64(ipv4))
    }

    public var isIPv4: Bool { high == 0 && low & ~UInt64(UInt32.max) == Self.mappedPrefix }

    /// The length of an address of this family in bits.
    public var bitWidth: Int { isIPv4 ? 32 : 128 }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3) or ::1 (RFC 4291 §2.5.3).
    public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or eight groups of hexadecimal digits without `::`. Rate limits hash this text: changing it
    /// resets their counters.
    public var description: String {
        isIPv4
            ? [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".")
            : [high, low].flatMap { half in [48, 32, 16, 0].map { String(half >> $0 & 0xFFFF, radix: 16) } }
                .joined(separator: ":")
    }
}
