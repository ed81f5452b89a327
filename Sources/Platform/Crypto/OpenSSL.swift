internal import CSystem

/// A call of OpenSSL or libsodium failed that has no reason to: for want of memory, or through a defect.
public struct LibraryFault: Error, Equatable, CustomStringConvertible {
    public let call: String
    /// OpenSSL's own words; empty if it had none.
    public let reason: String

    public var description: String { reason.isEmpty ? call : "\(call): \(reason)" }

    init(_ call: String) {
        self.call = call
        reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? ""
        OpenSSL.forgetErrors()
    }
}

enum OpenSSL {
    // Fetched once: looking an algorithm up by name costs more than hashing a token with it. Immutable and never freed.
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let sha1: OpaquePointer? = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha512: OpaquePointer? = EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) static let md5: OpaquePointer? = EVP_MD_fetch(nil, "MD5", nil)
    nonisolated(unsafe) static let aes256CTR: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-CTR", nil)
    nonisolated(unsafe) static let aes256GCM: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// A failure expected by us must not be found in the thread's error queue by a TLS connection later.
    static func forgetErrors() { ERR_clear_error() }

    /// - Returns: big-endian, as long as the number needs, or zero-padded on the left to `count` bytes.
    static func bytes(of number: OpaquePointer?, count: Int? = nil) -> [UInt8]? {
        let count = count ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    /// - Parameter write: puts its output into a memory BIO.
    /// - Returns: what was written, or `nil` if `write` did not return 1.
    static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        var start: UnsafeMutablePointer<CChar>?
        guard write(output) == 1, case let count = shim_bio_contents(output, &start), let start else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Lets `read` take one object from PEM text; an encrypted one is refused, since nobody is there to ask.
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
