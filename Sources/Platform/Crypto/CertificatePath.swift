internal import CSystem

/// Verifies the certificates of a signature: exactly a leaf, an intermediate and a root, as Apple's App Store sends
/// them in `x5c`.
public struct CertificatePath: Sendable {
    /// SHA-256 of the root certificate in DER.
    public let rootFingerprint: [UInt8]
    /// The object identifiers of the extensions that the certificates must have, in dotted form.
    public let leafExtension: String
    public let intermediateExtension: String

    public init(rootFingerprint: [UInt8], leafExtension: String, intermediateExtension: String) {
        self.rootFingerprint = rootFingerprint
        self.leafExtension = leafExtension
        self.intermediateExtension = intermediateExtension
    }

    /// Returns the public key of the leaf.
    ///
    /// - Parameters:
    ///   - certificates: in DER; the leaf first.
    ///   - time: the time at which all certificates must be valid, in seconds since 1970.
    public func leafKey(of certificates: [[UInt8]], at time: Int64) throws(CertificatePathFault) -> PublicKey {
        defer { OpenSSL.clearErrors() }
        guard certificates.count == 3 else { throw .count }
        guard Digest.sha256(certificates[2]) == rootFingerprint else { throw .root }
        var parsed: [OpaquePointer] = []
        defer { for certificate in parsed { X509_free(certificate) } }
        for der in certificates {
            guard let certificate = Self.certificate(der) else { throw .malformed }
            parsed.append(certificate)
        }
        let (leaf, intermediate, root) = (parsed[0], parsed[1], parsed[2])
        guard shim_has_extension(leaf, leafExtension) == 1,
            shim_has_extension(intermediate, intermediateExtension) == 1
        else { throw .extensionMissing }
        guard shim_is_valid_path(leaf, intermediate, root, Int(time)) == 1 else { throw .notValid }
        guard let key = X509_get0_pubkey(leaf) else { throw .key }
        do {
            return try PublicKey(publicHalfOf: key)
        } catch {
            throw .key
        }
    }

    /// - Returns: `nil` unless `der` is one certificate without further bytes.
    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard let certificate = d2i_X509(nil, &position, buffer.count) else { return nil }
            guard position == buffer.baseAddress?.advanced(by: buffer.count) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
    }
}

public enum CertificatePathFault: Error, Hashable, Sendable {
    case count
    case malformed
    /// The root is not the trusted one.
    case root
    case extensionMissing
    /// A signature is wrong, a certificate is not valid at the time, or an issuer is not an authority.
    case notValid
    /// The key of the leaf is neither P-256 nor RSA.
    case key
}
