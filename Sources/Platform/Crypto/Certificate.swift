internal import CSystem

/// X.509 certificates for signing keys, and for simulated authorities.
public enum Certificate {
    /// Wraps the public key of a signing key in X.509 v3 (RFC 5280), for clients that read keys from certificates. The
    /// certificate is self-signed, so it proves nothing about the key.
    ///
    /// - Parameters:
    ///   - commonName: 1 to 64 characters.
    ///   - notBefore: seconds since 1970, like `notAfter`.
    ///   - serial: 1 to 20 bytes, big-endian, read as a positive number.
    /// - Returns: PEM.
    public static func selfSigned(
        for key: PrivateKey, commonName: String, notBefore: Int64, notAfter: Int64, serial: [UInt8]
    ) throws(LibraryFault) -> String {
        precondition((1...20).contains(serial.count), "a serial number has 1 to 20 bytes")
        guard let certificate = X509_new() else { throw LibraryFault("X509_new") }
        defer { X509_free(certificate) }
        guard
            X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            setSerial(serial, of: certificate),
            ASN1_TIME_set(X509_getm_notBefore(certificate), Int(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), Int(notAfter)) != nil,
            setName(commonName, of: certificate),
            key.withHandle({ X509_set_pubkey(certificate, $0) }) == 1,
            key.withHandle({ X509_sign(certificate, $0, OpenSSL.sha256) }) > 0,
            let pem = OpenSSL.text({ PEM_write_bio_X509($0, certificate) })
        else { throw LibraryFault("X509_sign") }
        return pem
    }

    /// The certificate of an authority, with its key.
    public struct Authority: Sendable {
        public let key: PrivateKey
        /// DER.
        public let certificate: [UInt8]
        let name: String

        /// Creates a root authority.
        public init(root name: String, notBefore: Int64, notAfter: Int64) throws {
            let key = try PrivateKey.generate(.es256)
            self.key = key
            self.name = name
            certificate = try Certificate.issued(
                to: key.publicKey, named: name, by: (key, name), isAuthority: true, marker: nil, notBefore: notBefore,
                notAfter: notAfter)
        }

        /// Creates an authority under `issuer`.
        ///
        /// - Parameter marker: the object identifier of an extension, in dotted form.
        public init(
            _ name: String, under issuer: Authority, marker: String?, isAuthority: Bool = true, notBefore: Int64,
            notAfter: Int64
        ) throws {
            let key = try PrivateKey.generate(.es256)
            self.key = key
            self.name = name
            certificate = try Certificate.issued(
                to: key.publicKey, named: name, by: (issuer.key, issuer.name), isAuthority: isAuthority,
                marker: marker, notBefore: notBefore, notAfter: notAfter)
        }
    }

    /// - Returns: DER.
    private static func issued(
        to key: PublicKey, named name: String, by issuer: (key: PrivateKey, name: String), isAuthority: Bool,
        marker: String?, notBefore: Int64, notAfter: Int64
    ) throws -> [UInt8] {
        guard let certificate = X509_new() else { throw LibraryFault("X509_new") }
        defer { X509_free(certificate) }
        guard
            X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            setSerial(Random.bytes(8).map { $0 & 0x7F | 1 }, of: certificate),
            ASN1_TIME_set(X509_getm_notBefore(certificate), Int(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), Int(notAfter)) != nil,
            setName(name, of: certificate, issuedBy: issuer.name),
            key.withHandle({ X509_set_pubkey(certificate, $0) }) == 1,
            shim_add_basic_constraints(certificate, isAuthority ? 1 : 0) == 1,
            marker.map({ shim_add_marker(certificate, $0) == 1 }) != false,
            issuer.key.withHandle({ X509_sign(certificate, $0, OpenSSL.sha256) }) > 0
        else { throw LibraryFault("X509_sign") }
        var der = [UInt8](repeating: 0, count: Int(max(i2d_X509(certificate, nil), 0)))
        let count = der.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_X509(certificate, &position)
        }
        guard count == Int32(der.count), count > 0 else { throw LibraryFault("i2d_X509") }
        return der
    }

    private static func setName(
        _ name: String, of certificate: OpaquePointer, issuedBy issuer: String
    ) -> Bool {
        guard let issuerName = X509_NAME_new() else { return false }
        defer { X509_NAME_free(issuerName) }
        let bytes = Array(issuer.utf8)
        return setName(name, of: certificate)
            && X509_NAME_add_entry_by_txt(issuerName, "CN", MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0)
                == 1
            && X509_set_issuer_name(certificate, issuerName) == 1
    }

    private static func setSerial(_ serial: [UInt8], of certificate: OpaquePointer) -> Bool {
        let number = BN_bin2bn(serial, Int32(serial.count), nil)
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func setName(_ commonName: String, of certificate: OpaquePointer) -> Bool {
        let name = X509_get_subject_name(certificate)
        let bytes = Array(commonName.utf8)
        return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }
}
