internal import CSystem

public enum Digest {
    /// FIPS 180-4; 32 bytes.
    public static func sha256(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        // OpenSSL uses the SHA instructions of the processor; libsodium does not.
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha256, nil) == 1 else {
            preconditionFailure("EVP_Digest failed: out of memory")
        }
        return digest
    }

    /// FIPS 180-4; 20 bytes. Not for security, because SHA-1 collisions are practical. Lists of breached passwords are
    /// indexed by it.
    public static func sha1(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha1, nil) == 1 else {
            preconditionFailure("EVP_Digest failed: out of memory")
        }
        return digest
    }
}
