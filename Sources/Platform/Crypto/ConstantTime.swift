internal import CSystem

/// Compares secrets in constant time. Lengths are not secret: different lengths return at once.
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}
