internal import CSystem

/// A signature algorithm (RFC 7518 §3.1); the raw value is the JOSE name.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256. The signature is r and s, 32 bytes each (RFC 7518 §3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
    case rs256 = "RS256"
}

public enum KeyFault: Error, Equatable {
    /// The encoding is not valid.
    case malformed
    /// The type, curve or size is not one that we use for signatures.
    case unsupported
    /// The numbers are not a key: a point off the curve, or an even exponent.
    case invalid
}

/// A key that verifies signatures: P-256, or RSA with 2048 to 8192 bits.
public final class PublicKey: @unchecked Sendable {
    /// The numbers of a JWK (RFC 7518 §6), big-endian.
    public enum Parts: Hashable, Sendable {
        /// 32 bytes each.
        case ec(x: [UInt8], y: [UInt8])
        /// Without leading zeros.
        case rsa(n: [UInt8], e: [UInt8])
    }

    public let parts: Parts
    // Immutable after `init`, which makes the class safe to share.
    private let key: OpaquePointer

    /// - Parameters: coordinates of a point on P-256, 32 bytes each.
    public init(ec x: [UInt8], y: [UInt8]) throws(KeyFault) {
        guard x.count == 32, y.count == 32 else { throw .malformed }
        let point = [4] + x + y
        defer { OpenSSL.forgetErrors() }
        // OpenSSL accepts only points on the curve. All of them except infinity are keys, because the cofactor is 1.
        guard let key = shim_p256_public_key(point, point.count) else { throw .invalid }
        self.key = key
        parts = .ec(x: x, y: y)
    }

    /// - Parameters:
    ///   - modulus: odd, 2048 to 8192 bits; leading zeros are ignored.
    ///   - e: odd, at least 3, at most 64 bits, so that no key makes verification slow.
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
            OpenSSL.forgetErrors()
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

    /// - Parameter signature: in the JOSE encoding; ECDSA signatures in DER are rejected.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { OpenSSL.forgetErrors() }
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
