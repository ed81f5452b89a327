internal import CSystem

/// Digests in password hashes of other systems. MD5 and SHA-1 must not be used for anything else.
public enum DigestAlgorithm: String, Sendable {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    var message: OpaquePointer? {
        switch self {
        case .md5: OpenSSL.md5
        case .sha1: OpenSSL.sha1
        case .sha256: OpenSSL.sha256
        case .sha512: OpenSSL.sha512
        }
    }
}

extension Digest {
    /// RFC 1321, FIPS 180-4.
    public static func of(_ message: [UInt8], by algorithm: DigestAlgorithm) throws(LibraryFault) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(message, message.count, &digest, &count, algorithm.message, nil) == 1 else {
            throw LibraryFault("EVP_Digest")
        }
        return Array(digest.prefix(Int(count)))
    }
}

extension HMAC {
    /// RFC 2104, with a key of any length.
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
