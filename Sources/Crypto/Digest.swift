internal import CSystem

public enum Digest {
    /// FIPS 180-4; 32 bytes.
    public static func sha256(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&digest, message, UInt64(message.count))
        return digest
    }
}
