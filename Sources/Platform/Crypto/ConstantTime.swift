internal import CSystem

/// Compares secrets without telling by its duration where they differ. Lengths are not secret: different ones are
/// unequal at once.
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}
