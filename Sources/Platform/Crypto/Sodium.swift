internal import CSystem

enum Sodium {
    /// libsodium wants one call before all others; it is safe from any thread and here made at most once.
    private static let isReady = sodium_init() >= 0

    static func prepare() {
        precondition(isReady, "libsodium found no source of randomness")
    }
}

/// Overwrites bytes that were secret, in a way that no optimiser removes.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
}
