internal import CSystem

/// Derives keys from passwords in the formats of other systems. The caller bounds the cost. Never call this on an event
/// loop.
public enum KeyDerivation {
    /// Returns a key of `count` bytes by PBKDF2 with HMAC (RFC 8018 §5.2).
    public static func pbkdf2(
        _ password: [UInt8], salt: [UInt8], iterations: Int, by algorithm: DigestAlgorithm, count: Int
    ) throws(LibraryFault) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: count)
        let code = PKCS5_PBKDF2_HMAC(
            password, Int32(password.count), salt, Int32(salt.count), Int32(clamping: iterations),
            algorithm.messageDigest, Int32(count), &key)
        guard code == 1 else { throw LibraryFault("PKCS5_PBKDF2_HMAC") }
        return key
    }

    /// Returns a key of `count` bytes by scrypt (RFC 7914). Uses about 128 × `cost` × `blockSize` bytes.
    ///
    /// - Parameter cost: a power of two above 1.
    public static func scrypt(
        _ password: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, parallelization: Int, count: Int
    ) throws(LibraryFault) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: count)
        // OpenSSL requires a memory limit: scrypt's table, scrypt's other buffers, and a reserve of 64 KiB.
        let memory = 128 * blockSize * (cost + parallelization + 2) + 65536
        let code = EVP_PBE_scrypt(
            password, password.count, salt, salt.count, UInt64(cost), UInt64(blockSize), UInt64(parallelization),
            UInt64(memory), &key, count)
        guard code == 1 else { throw LibraryFault("EVP_PBE_scrypt") }
        return key
    }
}
