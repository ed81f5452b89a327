internal import CSystem

/// Message digests.
public enum Digest {
    /// Returns the SHA-256 digest (FIPS 180-4); 32 bytes.
    public static func sha256(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        // OpenSSL uses the SHA instructions of the processor; libsodium does not.
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha256, nil) == 1 else {
            preconditionFailure("EVP_Digest failed: out of memory")
        }
        return digest
    }

    /// Returns the SHA-1 digest (FIPS 180-4); 20 bytes. SHA-1 is not collision-resistant: call this only for lists of
    /// breached passwords, which are indexed by SHA-1.
    public static func sha1(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        guard EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha1, nil) == 1 else {
            preconditionFailure("EVP_Digest failed: out of memory")
        }
        return digest
    }
}

/// Keyed message authentication codes (RFC 2104).
public enum HMAC {
    /// Returns HMAC-SHA-256; 32 bytes.
    ///
    /// - Parameter key: of any length; fewer than 32 bytes weaken the code.
    public static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        crypto_auth_hmacsha256_final(&state, &code)
        withUnsafeMutableBytes(of: &state) { wipe($0) }
        return code
    }
}

/// The digests on which password hashes of other systems are based. Do not use ``md5`` and ``sha1`` for anything else.
public enum DigestAlgorithm: String, Sendable {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    var messageDigest: OpaquePointer? {
        switch self {
        case .md5: OpenSSL.md5
        case .sha1: OpenSSL.sha1
        case .sha256: OpenSSL.sha256
        case .sha512: OpenSSL.sha512
        }
    }
}

extension Digest {
    /// Returns the digest of `message` (RFC 1321, FIPS 180-4).
    public static func of(_ message: [UInt8], by algorithm: DigestAlgorithm) throws(LibraryFault) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(message, message.count, &digest, &count, algorithm.messageDigest, nil) == 1 else {
            throw LibraryFault("EVP_Digest")
        }
        return Array(digest.prefix(Int(count)))
    }
}

extension HMAC {
    /// Returns the HMAC of `message`.
    ///
    /// - Parameter key: of any length.
    public static func code(of message: [UInt8], key: [UInt8], by algorithm: DigestAlgorithm) throws(LibraryFault)
        -> [UInt8]
    {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count = 0
        let done = EVP_Q_mac(
            nil, "HMAC", nil, algorithm.rawValue, nil, key, key.count, message, message.count, &code, code.count, &count
        )
        guard done != nil else { throw LibraryFault("EVP_Q_mac") }
        return Array(code.prefix(count))
    }
}

/// Compares secrets in constant time. If the lengths differ, returns at once, because lengths are not secret.
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    Sodium.prepare()
    return a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}
