internal import CSystem

/// An unexpected failure of a call to OpenSSL or libsodium: the process is out of memory, or the program has a defect.
public struct LibraryFault: Error, Equatable, CustomStringConvertible {
    /// The name of the C function.
    public let call: String
    /// OpenSSL's error text; may be empty.
    public let reason: String

    public var description: String { reason.isEmpty ? call : "\(call): \(reason)" }

    init(_ call: String) {
        self.call = call
        reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? ""
        OpenSSL.clearErrors()
    }
}

enum OpenSSL {
    // Fetched once, because the look-up of an algorithm by name takes longer than hashing a token. Immutable and never
    // freed.
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let sha1: OpaquePointer? = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha384: OpaquePointer? = EVP_MD_fetch(nil, "SHA384", nil)
    nonisolated(unsafe) static let sha512: OpaquePointer? = EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) static let md5: OpaquePointer? = EVP_MD_fetch(nil, "MD5", nil)
    nonisolated(unsafe) static let aes256CTR: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-CTR", nil)
    nonisolated(unsafe) static let aes256GCM: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// Clears the thread's error queue after an expected failure. Otherwise a later TLS operation of the thread could
    /// report this error as its own.
    static func clearErrors() { ERR_clear_error() }

    /// - Parameter count: the length to which the result is zero-padded on the left (default: without leading zeros).
    /// - Returns: the big-endian bytes of `number`; `nil` if the number does not fit.
    static func bytes(of number: OpaquePointer?, count: Int? = nil) -> [UInt8]? {
        let count = count ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    /// - Parameter write: writes its output to a memory BIO.
    /// - Returns: the output; `nil` if `write` did not return 1, or if memory is exhausted.
    static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        var start: UnsafeMutablePointer<CChar>?
        guard write(output) == 1, case let count = shim_bio_contents(output, &start), let start else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Calls `read` to read one object from PEM text. Rejects encrypted objects, for which OpenSSL would prompt for a
    /// password.
    ///
    /// - Parameter read: gets the input and the function that OpenSSL calls for a password.
    /// - Returns: the result of `read`; `nil` for an encrypted object.
    static func object(
        inPEM pem: String,
        _ read: (
            OpaquePointer,
            @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
        )
            -> OpaquePointer?
    ) -> OpaquePointer? {
        let bytes = Array(pem.utf8)
        return bytes.withUnsafeBytes { buffer in
            guard let input = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(input) }
            return read(input, { _, _, _, _ in -1 })
        }
    }
}
