public import CSystem
public import IPAddresses

extension IPAddress {
    /// - Returns: `nil` for an address that is neither IPv4 nor IPv6.
    public init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        // The IPv4 address begins at byte 4 of `sockaddr_in`, the IPv6 address at byte 8 of `sockaddr_in6`.
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(ipv4: UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6:
            self.init(
                high: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        default: return nil
        }
    }
}
