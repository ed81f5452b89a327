internal import CSystem
internal import Curl
internal import Encoding
internal import EventLoop
internal import IPAddresses

/// An IPv4 or IPv6 address with a port, in the format of system calls.
struct SocketAddress: Sendable {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init() {}

    /// - Throws: `EINVAL` unless `address` is numeric.
    init(numeric address: String, port: UInt16) throws(SystemError) {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
        } else {
            throw SystemError(call: "inet_pton", code: EINVAL)
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// Both families store the port at the same offset.
    var port: UInt16 {
        withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The networks for which limits count this address; see ``IPAddress/rateLimitNetworks``. Empty for an address that
    /// is neither IPv4 nor IPv6.
    var networks: [IPNetwork] {
        withPointer { address, _ in IPAddress(address)?.rateLimitNetworks ?? [] }
    }

    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    mutating func withMutablePointer<Value>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Value
    ) -> Value {
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    /// Returns the address without port. An IPv4-mapped address (RFC 4291 §2.5.5.2) is written as an IPv4 address.
    static func numericText(of address: UnsafePointer<sockaddr>) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let raw = UnsafeRawPointer(address)
        // The IPv4 address begins at byte 4 of `sockaddr_in`, the IPv6 address at byte 8 of `sockaddr_in6`.
        if Int32(address.pointee.sa_family) == AF_INET {
            inet_ntop(AF_INET, raw + 4, &text, socklen_t(text.count))
        } else {
            inet_ntop(AF_INET6, raw + 8, &text, socklen_t(text.count))
        }
        let numeric = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let mapped = "::ffff:"
        return numeric.beginsExactly(with: mapped) && numeric.contains(".")
            ? String(numeric.dropFirst(mapped.count)) : numeric
    }
}
