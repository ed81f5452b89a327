internal import CSystem

public enum Digest {
    /// FIPS 180-4; 32 bytes.
    public static func sha256(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        // OpenSSL uses the instructions that many processors have for this, libsodium does not.
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha256, nil) == 1 else {
            preconditionFailure("no memory to hash with")
        }
        return digest
    }

    /// FIPS 180-4; 20 bytes. Not for security: collisions of SHA-1 can be made. It is the name by which lists of
    /// breached passwords go.
    public static func sha1(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha1, nil) == 1 else {
            preconditionFailure("no memory to hash with")
        }
        return digest
    }
}
