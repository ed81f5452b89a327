internal import CSystem

/// AES-256-GCM (NIST SP 800-38D) with 12-byte nonces and 16-byte tags. A nonce must not be used twice with the same
/// key.
enum AESGCM {
    static let nonceLength = 12
    static let tagLength = 16

    /// - Parameter associated: additional authenticated data.
    /// - Returns: ciphertext and tag.
    static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]) throws(LibraryFault)
        -> [UInt8]
    {
        guard let context = EVP_CIPHER_CTX_new() else { throw LibraryFault("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagLength)
        var written: Int32 = 0
        guard
            EVP_EncryptInit_ex2(context, OpenSSL.aes256GCM, key, nonce, nil) == 1,
            EVP_EncryptUpdate(context, nil, &written, associated, Int32(associated.count)) == 1,
            EVP_EncryptUpdate(context, &output, &written, plaintext, Int32(plaintext.count)) == 1,
            EVP_EncryptFinal_ex(context, nil, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { throw LibraryFault("EVP_EncryptFinal_ex") }
        return output + tag
    }

    /// - Returns: `nil` if the tag does not match or is incomplete, or if memory is exhausted. Unverified plaintext is
    ///   wiped.
    static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagLength, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer {
            EVP_CIPHER_CTX_free(context)
            OpenSSL.clearErrors()
        }
        let ciphertext = Array(sealed.dropLast(tagLength))
        var tag = Array(sealed.suffix(tagLength))
        var output = [UInt8](repeating: 0, count: ciphertext.count)
        var written: Int32 = 0
        guard
            EVP_DecryptInit_ex2(context, OpenSSL.aes256GCM, key, nonce, nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1,
            EVP_DecryptUpdate(context, nil, &written, associated, Int32(associated.count)) == 1,
            EVP_DecryptUpdate(context, &output, &written, ciphertext, Int32(ciphertext.count)) == 1,
            EVP_DecryptFinal_ex(context, nil, &written) == 1
        else {
            wipe(&output)
            return nil
        }
        return output
    }
}
