/// A range of addresses with a common prefix (CIDR, RFC 4632 §3.1): `192.0.2.0/24`, `2001:db8::/32`, or one address.
public struct IPNetwork: Hashable, Sendable {
    /// The first address of the range.
    public let address: IPAddress
    /// The prefix length: at most 32 for IPv4 and 128 for IPv6.
    public let length: Int

    /// Clears the bits of `address` after the prefix.
    ///
    /// - Parameter length: 0 to the width of the address; see ``IPAddress/bitWidth``.
    public init(_ address: IPAddress, length: Int) {
        precondition((0...address.bitWidth).contains(length), "a prefix is as long as its address at most")
        let kept = length + 128 - address.bitWidth
        self.address = IPAddress(
            high: kept >= 64 ? address.high : address.high & ~(UInt64.max >> UInt64(kept)),
            low: kept <= 64 ? 0 : address.low & ~(UInt64.max >> UInt64(kept - 64)))
        self.length = length
    }

    /// - Returns: `nil` unless `text` is an address with an optional prefix length that fits it and leaves no bit set
    ///   after the prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let length = parts.count == 1 ? address.bitWidth : Int(parts[1]) ?? -1
        guard (0...address.bitWidth).contains(length) else { return nil }
        self.init(address, length: length)
        guard self.address == address else { return nil }
    }

    /// A range of one family contains no address of the other.
    public func contains(_ other: IPAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && IPNetwork(other, length: length).address == address
    }
}

extension IPNetwork: CustomStringConvertible {
    /// See ``IPAddress/description``. A single IPv4 address is written without a prefix length.
    public var description: String { address.isIPv4 && length == 32 ? "\(address)" : "\(address)/\(length)" }
}

extension IPAddress {
    /// The networks that limits are counted by, from the narrowest to the widest: an IPv4 address and its /24; an IPv6
    /// /64, /56 and /48. One subscriber may have a whole /48 of IPv6.
    public var limitedNetworks: [IPNetwork] {
        (isIPv4 ? [32, 24] : [64, 56, 48]).map { IPNetwork(self, length: $0) }
    }
}

extension [IPNetwork] {
    /// - Parameter address: numeric, without a port.
    public func contain(_ address: String) -> Bool {
        IPAddress(address).map { address in contains { $0.contains(address) } } ?? false
    }
}
