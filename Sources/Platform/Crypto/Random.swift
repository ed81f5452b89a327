internal import CSystem

/// The system's random number generator, suitable for keys.
public enum Random {
    public static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// Returns `count` random bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        Sodium.prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Returns random text. Each character is chosen independently and uniformly from `alphabet`.
    ///
    /// - Parameter alphabet: 2 to 128 different ASCII characters.
    public static func text(length: Int, alphabet: String = alphanumerics) -> String {
        let characters = Array(alphabet.utf8)
        let isASCII = characters.allSatisfy { $0 < 128 }
        precondition(
            (2...128).contains(characters.count) && isASCII, "expected an alphabet of 2 to 128 ASCII characters")
        // Discards bytes from this value on, because they would make the first characters of the alphabet more likely.
        let bound = 256 - 256 % characters.count
        var text: [UInt8] = []
        text.reserveCapacity(length)
        while text.count < length {
            let usable = bytes(length - text.count).filter { Int($0) < bound }
            text += usable.map { characters[Int($0) % characters.count] }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

enum Sodium {
    /// Whether libsodium is initialised. Swift initialises the property once, even if several threads read it.
    private static let isReady = sodium_init() >= 0

    /// Initialises libsodium if necessary. Each function that uses libsodium calls this function first, because only an
    /// initialised libsodium is guaranteed to be thread-safe.
    static func prepare() {
        precondition(isReady, "sodium_init failed: no source of randomness")
    }
}

/// Overwrites secret bytes in a way that optimisers do not remove.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
}

/// Overwrites secret memory in a way that optimisers do not remove.
func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    Sodium.prepare()
    sodium_memzero(memory.baseAddress, memory.count)
}
