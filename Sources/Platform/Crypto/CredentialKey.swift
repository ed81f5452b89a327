internal import CSystem

/// A public key of a WebAuthn credential. Verifies signatures in the encodings of WebAuthn Level 3 §6.5.5, and not
/// those of JOSE, for which ``PublicKey`` is. Threads may share it.
public final class CredentialKey: @unchecked Sendable {
    /// The numbers of a public key, big-endian.
    public enum Parts: Hashable, Sendable {
        /// ECDSA over P-256 with SHA-256: coordinates of 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
        /// ECDSA over P-384 with SHA-384: coordinates of 48 bytes each.
        case p384(x: [UInt8], y: [UInt8])
        /// RSASSA-PKCS1-v1_5 with SHA-256. See ``PublicKey/init(rsa:e:)`` for the limits.
        case rsa(n: [UInt8], e: [UInt8])
        /// Ed25519 (RFC 8032): 32 bytes.
        case ed25519([UInt8])
    }

    public let parts: Parts
    // Immutable after `init`, so threads can share the object.
    private let key: OpaquePointer

    public init(_ parts: Parts) throws(KeyFault) {
        defer { OpenSSL.clearErrors() }
        key =
            switch parts {
            case .p256(let x, let y): try PublicKey(ec: x, y: y).retainedHandle()
            case .p384(let x, let y): try Self.p384(x: x, y: y)
            case .rsa(let n, let e): try PublicKey(rsa: n, e: e).retainedHandle()
            case .ed25519(let point): try Self.ed25519(point)
            }
        self.parts = parts
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether `signature` is valid for `message`.
    ///
    /// - Parameter signature: DER for ECDSA; otherwise the bytes that the algorithm defines.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { OpenSSL.clearErrors() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// `nil` for Ed25519, which defines its digest itself.
    private var digest: OpaquePointer? {
        switch parts {
        case .p256, .rsa: OpenSSL.sha256
        case .p384: OpenSSL.sha384
        case .ed25519: nil
        }
    }

    private static func p384(x: [UInt8], y: [UInt8]) throws(KeyFault) -> OpaquePointer {
        guard x.count == 48, y.count == 48 else { throw .malformed }
        let point = [4] + x + y  // 4 marks an uncompressed point (SEC 1 §2.3.3)
        // OpenSSL accepts only points on the curve.
        guard let key = shim_ec_public_key("P-384", point, point.count) else { throw .invalid }
        return key
    }

    private static func ed25519(_ point: [UInt8]) throws(KeyFault) -> OpaquePointer {
        guard point.count == 32 else { throw .malformed }
        Sodium.prepare()
        // OpenSSL accepts points of small order, for which anybody can make signatures.
        guard crypto_core_ed25519_is_valid_point(point) == 1 else { throw .invalid }
        guard let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, point, point.count) else {
            throw .invalid
        }
        return key
    }
}

extension CredentialKey: Equatable {
    public static func == (a: CredentialKey, b: CredentialKey) -> Bool { a.parts == b.parts }
}

extension PublicKey {
    /// The key, which the caller owns too and must free.
    fileprivate func retainedHandle() throws(KeyFault) -> OpaquePointer {
        let key = withHandle { EVP_PKEY_up_ref($0) == 1 ? $0 : nil }
        guard let key else { throw .invalid }
        return key
    }
}
