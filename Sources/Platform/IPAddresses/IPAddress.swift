internal import Encoding

/// An IPv4 or IPv6 address. An IPv4 address is stored as an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), so that both
/// notations of one address are equal.
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

    /// Whether the address is in 127.0.0.0/8 (RFC 1122 §3.2.1.3) or is ::1 (RFC 4291 §2.5.3).
    public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or eight groups of hexadecimal digits without `::`. Rate limits hash this text: a change
    /// of the format resets the counters.
    public var description: String {
        isIPv4
            ? [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".")
            : [high, low].flatMap { half in [48, 32, 16, 0].map { String(half >> $0 & 0xFFFF, radix: 16) } }
                .joined(separator: ":")
    }
}

extension IPAddress {
    /// Parses dotted decimal without leading zeros, or IPv6 in any notation of RFC 4291 §2.2.
    ///
    /// - Returns: `nil` for any other text, including an address with a port, a zone or brackets.
    public init?(_ text: some StringProtocol) {
        self.init(parsing: String(text))
    }

    private init?(parsing text: String) {
        if let ipv4 = Self.ipv4(text.utf8) {
            self.init(ipv4: ipv4)
        } else if let groups = Self.eightGroups(Array(text.utf8)) {
            func half(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }
            self.init(high: half(groups[..<4]), low: half(groups[4...]))
        } else {
            return nil
        }
    }

    private static func ipv4(_ text: some Collection<UInt8>) -> UInt32? {
        var (address, parts) = (UInt32(0), 1)
        var (value, digits) = (UInt32(0), 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits == 0 || value > 0 else { return nil }
                value = value * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard value < 256 else { return nil }
            case UInt8(ascii: "."):
                guard digits > 0, parts < 4 else { return nil }
                address = address << 8 | value
                parts += 1
                (value, digits) = (0, 0)
            default: return nil
            }
        }
        return parts == 4 && digits > 0 ? address << 8 | value : nil
    }

    /// - Returns: the groups of an IPv6 address.
    private static func eightGroups(_ text: [UInt8]) -> [UInt16]? {
        // The shortest text is `::`; the longest has six full groups and a full IPv4 address.
        guard (2...45).contains(text.count) else { return nil }
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else { return groups(text[...], mayEndWithIPv4: true).flatMap { $0.count == 8 ? $0 : nil } }
        guard let before = groups(text[..<gap], mayEndWithIPv4: false),
            let after = groups(text[(gap + 2)...], mayEndWithIPv4: true),
            before.count + after.count <= 7
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// Parses groups without `::`. An IPv4 address at the end counts as two groups.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndWithIPv4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndWithIPv4, index == parts.count - 1, let ipv4 = ipv4(part) {
                groups += [UInt16(ipv4 >> 16), UInt16(ipv4 & 0xFFFF)]
            } else if let group = group(part) {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count) else { return nil }
        var group: UInt16 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(of: digit) else { return nil }
            group = group << 4 | UInt16(value)
        }
        return group
    }
}

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
        precondition((0...address.bitWidth).contains(length), "the prefix length exceeds the address width")
        let prefixBits = length + 128 - address.bitWidth
        self.address = IPAddress(
            high: prefixBits >= 64 ? address.high : address.high & ~(UInt64.max >> UInt64(prefixBits)),
            low: prefixBits <= 64 ? 0 : address.low & ~(UInt64.max >> UInt64(prefixBits - 64)))
        self.length = length
    }

    /// Parses an address with an optional prefix length (default: the width of the address).
    ///
    /// - Returns: `nil` for any other text, a prefix longer than the address, and an address with bits set after the
    ///   prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // `Int` would accept a sign.
        guard let address = IPAddress(parts[0]),
            parts.count == 1 || parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let length = parts.count == 1 ? address.bitWidth : Int(parts[1]) ?? -1
        guard (0...address.bitWidth).contains(length) else { return nil }
        self.init(address, length: length)
        guard self.address == address else { return nil }
    }

    /// Whether the range contains `other`. A range of one address family contains no address of the other.
    public func contains(_ other: IPAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && IPNetwork(other, length: length).address == address
    }
}

extension IPNetwork: CustomStringConvertible {
    /// See ``IPAddress/description``. A single IPv4 address is written without a prefix length.
    public var description: String { address.isIPv4 && length == 32 ? "\(address)" : "\(address)/\(length)" }
}

extension IPAddress {
    /// The networks for which rate limits count the requests of this address, from the narrowest to the widest. For
    /// IPv4, these are the address and its /24; for IPv6, its /64, /56 and /48, because one subscriber may have a whole
    /// /48.
    public var rateLimitNetworks: [IPNetwork] {
        (isIPv4 ? [32, 24] : [64, 56, 48]).map { IPNetwork(self, length: $0) }
    }
}

extension [IPNetwork] {
    /// Whether one of the networks contains `address`.
    ///
    /// - Parameter address: numeric, without a port.
    public func contain(_ address: String) -> Bool {
        IPAddress(address).map { address in contains { $0.contains(address) } } ?? false
    }
}
