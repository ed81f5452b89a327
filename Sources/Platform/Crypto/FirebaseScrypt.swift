internal import CSystem

/// Firebase's password hash: the project's signer key, encrypted by AES-256 in counter mode with a key that scrypt
/// derives from the password.
public enum FirebaseScrypt {
    /// - Parameters:
    ///   - salt: the account's salt, followed by the project's salt separator.
    ///   - memoryCost: binary logarithm of scrypt's cost.
    ///   - rounds: scrypt's block size.
    /// - Returns: a hash of the same length as `signerKey`.
    public static func hash(
        _ password: [UInt8], salt: [UInt8], signerKey: [UInt8], memoryCost: Int, rounds: Int
    ) throws(LibraryFault) -> [UInt8] {
        var derived = try KeyDerivation.scrypt(
            password, salt: salt, cost: 1 << memoryCost, blockSize: rounds, parallelization: 1, count: 64)
        defer { wipe(&derived) }
        return try encrypt(signerKey, key: Array(derived.prefix(32)))
    }

    private static func encrypt(_ plaintext: [UInt8], key: [UInt8]) throws(LibraryFault) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw LibraryFault("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: plaintext.count)
        var written: Int32 = 0
        // The key encrypts a single message, so its counter may begin at zero.
        let start = [UInt8](repeating: 0, count: 16)
        guard
            EVP_EncryptInit_ex2(context, OpenSSL.aes256CTR, key, start, nil) == 1,
            EVP_EncryptUpdate(context, &output, &written, plaintext, Int32(plaintext.count)) == 1
        else { throw LibraryFault("EVP_EncryptUpdate") }
        return output
    }
}
