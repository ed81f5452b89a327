internal import CSystem

enum Sodium {
    /// libsodium requires one call before all others. It is safe on any thread and happens at most once.
    private static let isReady = sodium_init() >= 0

    static func prepare() {
        precondition(isReady, "sodium_init failed: no source of randomness")
    }
}

/// Overwrites secret bytes in a way that optimisers do not remove.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
}
