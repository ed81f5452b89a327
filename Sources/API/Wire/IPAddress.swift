internal import Glibc

/// An address of either family in sixteen bytes; an IPv4 address is kept as IPv4-mapped (RFC 4291 §2.5.5.2), so that
/// both spellings of it are one value.
struct IPAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Returns: `nil` for anything but one address: no port, no zone, no brackets.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = Self.mappedPrefix + withUnsafeBytes(of: &v4, Array.init)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: &v6, Array.init)
        } else {
            return nil
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// The address with all but its first `length` bits cleared; of an IPv4 address, the first of its own 32.
    func network(_ length: Int) -> IPAddress {
        let kept = isIPv4 ? Self.mappedBits + length : length
        return IPAddress(
            bytes: bytes.enumerated().map { index, byte in
                let bits = min(max(kept - index * 8, 0), 8)
                return byte & ~UInt8(truncatingIfNeeded: 0xFF >> bits)
            })
    }

    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let mappedBits = 96
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        isIPv4
            ? bytes.suffix(4).map(String.init).joined(separator: ".")
            : stride(from: 0, to: 16, by: 2)
                .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
                .joined(separator: ":")
    }
}

/// A range of addresses as configured for trusted proxies: `192.0.2.0/24`, `2001:db8::/32`, or one address.
public struct Network: Hashable, Sendable {
    private let address: IPAddress
    private let length: Int

    /// - Returns: `nil` unless an address with an optional prefix length that fits it and leaves no bit behind.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        let length = parts.count == 1 ? width : Int(parts[1]) ?? -1
        guard (0...width).contains(length), address.network(length) == address else { return nil }
        self.address = address
        self.length = length
    }

    /// A range of one family holds no address of the other, for only IPv4 addresses keep the mapped prefix.
    func contains(_ other: IPAddress) -> Bool {
        other.network(length) == address
    }
}
