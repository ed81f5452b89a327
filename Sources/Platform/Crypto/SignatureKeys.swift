internal import CSystem
internal import Synchronization

/// A key that signs: P-256, or RSA with 2048 to 8192 bits. Threads may share it.
///
/// Only one thread may use an OpenSSL context at a time, so every signature uses a copy of a prepared context. A lock
/// is held during the copy, not during the signature.
public final class PrivateKey: @unchecked Sendable {
    /// The message that each new object signs once, to check that the public and private parts of the key match.
    private static let probe = Array("probe".utf8)

    public let publicKey: PublicKey
    // Immutable after `init`.
    private let key: OpaquePointer
    private let prepared: Mutex<PreparedSignature>

    /// Generates a key; RSA keys have 2048 bits. An RSA key takes about 0.1 s of CPU time: do not call this on an event
    /// loop.
    public static func generate(_ algorithm: SignatureAlgorithm) throws -> PrivateKey {
        let key =
            switch algorithm {
            case .es256: shim_generate_p256()
            case .rs256: shim_generate_rsa(2048)
            }
        guard let key else { throw LibraryFault("EVP_PKEY_Q_keygen") }
        return try PrivateKey(adopting: key)
    }

    /// - Parameter key: owned by this object, which frees it even if the initializer throws.
    init(adopting key: OpaquePointer) throws {
        do {
            publicKey = try PublicKey(publicHalfOf: key)
            prepared = Mutex(try PreparedSignature(key))
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
        guard try publicKey.verifies(sign(Self.probe), of: Self.probe) else { throw KeyFault.invalid }
    }

    deinit { EVP_PKEY_free(key) }

    public var algorithm: SignatureAlgorithm { publicKey.algorithm }

    /// - Returns: the signature in the JOSE encoding; see ``SignatureAlgorithm``.
    public func sign(_ message: [UInt8]) throws(LibraryFault) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard let context, prepared.withLock({ $0.copy(into: context) }) else {
            throw LibraryFault("EVP_MD_CTX_copy_ex")
        }
        var length = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw LibraryFault("EVP_DigestSign")
        }
        signature.removeLast(signature.count - length)
        guard algorithm == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(fromDER: signature) else { throw LibraryFault("d2i_ECDSA_SIG") }
        return raw
    }

    /// Gives other files of this module access to the key.
    func withHandle<Value>(_ body: (OpaquePointer) throws -> Value) rethrows -> Value { try body(key) }
}

/// An OpenSSL signing context that is copied for every signature, because preparing one takes a third of the time of an
/// ES256 signature.
struct PreparedSignature: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    init(_ key: OpaquePointer) throws(LibraryFault) {
        guard let context = EVP_MD_CTX_new() else { throw LibraryFault("EVP_MD_CTX_new") }
        guard EVP_DigestSignInit(context, nil, OpenSSL.sha256, nil, key) == 1 else {
            EVP_MD_CTX_free(context)
            throw LibraryFault("EVP_DigestSignInit")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    func copy(into other: OpaquePointer) -> Bool { EVP_MD_CTX_copy_ex(other, context) == 1 }
}

/// A signature algorithm (RFC 7518 §3.1); the raw value is the JOSE name.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256. The signature is r and s, 32 bytes each (RFC 7518 §3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
    case rs256 = "RS256"
}

/// Why a key is rejected.
public enum KeyFault: Error, Equatable {
    /// The encoding is not valid.
    case malformed
    /// The type, curve or size is not supported for signatures.
    case unsupported
    /// The numbers are not a valid key: for example a point that is not on the curve, an even exponent, or a private
    /// key that does not belong to its public key.
    case invalid
}

/// A key that verifies signatures: P-256, or RSA with 2048 to 8192 bits.
public final class PublicKey: @unchecked Sendable {
    /// The numbers of a public key as in a JWK (RFC 7518 §6), big-endian.
    public enum Parts: Hashable, Sendable {
        /// 32 bytes each.
        case ec(x: [UInt8], y: [UInt8])
        /// Without leading zeros.
        case rsa(n: [UInt8], e: [UInt8])
    }

    public let parts: Parts
    // Immutable after `init`, so threads can share the object.
    private let key: OpaquePointer

    /// - Parameters: coordinates of a point on P-256, 32 bytes each.
    public init(ec x: [UInt8], y: [UInt8]) throws(KeyFault) {
        guard x.count == 32, y.count == 32 else { throw .malformed }
        let point = [4] + x + y  // 4 marks an uncompressed point (SEC 1 §2.3.3)
        defer { OpenSSL.clearErrors() }
        // OpenSSL accepts only points on the curve. All of them except infinity are keys, because the cofactor is 1.
        guard let key = shim_ec_public_key("P-256", point, point.count) else { throw .invalid }
        self.key = key
        parts = .ec(x: x, y: y)
    }

    /// - Parameters:
    ///   - modulus: odd, 2048 to 8192 bits; leading zeros are ignored.
    ///   - exponent: odd, at least 3, at most 64 bits, because verification with a larger exponent would be slow.
    public init(rsa modulus: [UInt8], e exponent: [UInt8]) throws(KeyFault) {
        let n = Array(modulus.drop { $0 == 0 })
        let e = Array(exponent.drop { $0 == 0 })
        guard let first = n.first, let last = n.last, let lastOfE = e.last else { throw .malformed }
        guard (2048...8192).contains(n.count * 8 - first.leadingZeroBitCount), e.count <= 8 else { throw .unsupported }
        guard last % 2 == 1, lastOfE % 2 == 1, e != [1] else { throw .invalid }
        let numberN = BN_bin2bn(n, Int32(n.count), nil)
        let numberE = BN_bin2bn(e, Int32(e.count), nil)
        defer {
            BN_free(numberN)
            BN_free(numberE)
            OpenSSL.clearErrors()
        }
        guard let key = shim_rsa_public_key(numberN, numberE) else { throw .invalid }
        self.key = key
        parts = .rsa(n: n, e: e)
    }

    deinit { EVP_PKEY_free(key) }

    public var algorithm: SignatureAlgorithm {
        switch parts {
        case .ec: .es256
        case .rsa: .rs256
        }
    }

    /// Whether `signature` is valid for `message`.
    ///
    /// - Parameter signature: in the JOSE encoding; ECDSA signatures in DER are rejected.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { OpenSSL.clearErrors() }
        guard let encoded = algorithm == .es256 ? ECDSASignature.der(fromRaw: signature) : signature else {
            return false
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, OpenSSL.sha256, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }

    /// Gives other files of this module access to the key.
    func withHandle<Value>(_ body: (OpaquePointer) throws -> Value) rethrows -> Value { try body(key) }
}

extension PublicKey: Equatable {
    public static func == (a: PublicKey, b: PublicKey) -> Bool { a.parts == b.parts }
}

/// The two encodings of an ECDSA P-256 signature: DER for OpenSSL, and r followed by s for JOSE (RFC 7518 §3.4).
enum ECDSASignature {
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &position, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            guard
                let r = OpenSSL.bytes(of: ECDSA_SIG_get0_r(signature), count: 32),
                let s = OpenSSL.bytes(of: ECDSA_SIG_get0_s(signature), count: 32)
            else { return nil }
            return r + s
        }
    }

    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = raw.withUnsafeBufferPointer { buffer in
            (BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress.map { $0 + 32 }, 32, nil))
        }
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: max(0, Int(i2d_ECDSA_SIG(signature, nil))))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &position)
        }
        return written > 0 ? der : nil
    }
}
