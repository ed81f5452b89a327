internal import CSystem

/// Password hashes in the formats of crypt(3): bcrypt, SHA-crypt, yescrypt.
public enum CryptHash {
    /// - Parameter text: a stored hash; the caller has bounded its cost.
    /// - Returns: whether `password` matches. `false` also for formats that the system's library does not know, and for
    ///   passwords that it cannot hash: with a NUL, or longer than 511 bytes.
    public static func verify(_ password: [UInt8], against text: String) -> Bool {
        guard !password.contains(0), !text.utf8.contains(0) else { return false }
        let size = MemoryLayout<crypt_data>.size
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        defer {
            wipe(UnsafeMutableRawBufferPointer(start: scratch, count: size))
            scratch.deallocate()
        }
        let phrase = (password + [0]).map(CChar.init(bitPattern:))
        guard let hashed = crypt_rn(phrase, text, scratch, Int32(size)) else { return false }
        return constantTimeEquals(Array(String(cString: hashed).utf8), Array(text.utf8))
    }
}
