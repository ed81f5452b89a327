/// The first bits of an address, for counting what comes from one network.
struct AddressPrefix: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    private let bits: UInt8

    /// - Parameters:
    ///   - high: the first eight bytes of an IPv6 address, or of an IPv4-mapped one (RFC 4291 §2.5.5.2).
    ///   - low: the last eight bytes.
    ///   - bits: 0 to 128; the others are cleared.
    init(_ high: UInt64, _ low: UInt64, bits: UInt8) {
        self.high = bits >= 64 ? high : high & ~(UInt64.max >> bits)
        self.low = bits <= 64 ? 0 : low & ~(UInt64.max >> (bits - 64))
        self.bits = bits
    }

    /// What one network may have, narrowest first: an IPv4 address and its /24; an IPv6 /64, /56 and /48. Each level
    /// may hold four times as much as the one before.
    static func levels(_ high: UInt64, _ low: UInt64) -> [AddressPrefix] {
        let isIPv4 = high == 0 && low >> 32 == 0xFFFF
        return (isIPv4 ? [128, 120] : [64, 56, 48]).map { AddressPrefix(high, low, bits: $0) }
    }
}
