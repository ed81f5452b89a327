internal import CSystem

extension PublicKey {
    /// - Parameter pem: `BEGIN PUBLIC KEY` (RFC 7468 §13).
    public convenience init(pem: String) throws(KeyFault) {
        defer { OpenSSL.clearErrors() }
        guard let key = OpenSSL.object(inPEM: pem, { PEM_read_bio_PUBKEY($0, nil, $1, nil) }) else {
            throw .malformed
        }
        defer { EVP_PKEY_free(key) }
        try self.init(publicHalfOf: key)
    }

    /// - Parameter key: remains owned by the caller.
    convenience init(publicHalfOf key: OpaquePointer) throws(KeyFault) {
        switch try SignatureAlgorithm(of: key) {
        case .es256:
            try self.init(
                ec: Self.number(OSSL_PKEY_PARAM_EC_PUB_X, of: key, count: 32),
                y: Self.number(OSSL_PKEY_PARAM_EC_PUB_Y, of: key, count: 32))
        case .rs256:
            try self.init(
                rsa: Self.number(OSSL_PKEY_PARAM_RSA_N, of: key), e: Self.number(OSSL_PKEY_PARAM_RSA_E, of: key))
        }
    }

    private static func number(_ name: String, of key: OpaquePointer, count: Int? = nil) throws(KeyFault) -> [UInt8] {
        var number: OpaquePointer?
        defer { BN_free(number) }
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let bytes = OpenSSL.bytes(of: number, count: count)
        else { throw .malformed }
        return bytes
    }
}

extension SignatureAlgorithm {
    /// The only algorithm that the gateway uses with a key of this type.
    ///
    /// - Throws: ``KeyFault/unsupported``.
    init(of key: OpaquePointer) throws(KeyFault) {
        if EVP_PKEY_is_a(key, "RSA") == 1 {
            self = .rs256
            return
        }
        var group = [CChar](repeating: 0, count: 64)
        guard
            EVP_PKEY_is_a(key, "EC") == 1, EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1,
            strcmp(group, "prime256v1") == 0
        else { throw .unsupported }
        self = .es256
    }
}

extension PrivateKey {
    /// - Parameter pem: `BEGIN PRIVATE KEY` (RFC 7468 §10, Apple's `.p8`), or the older `EC` and `RSA PRIVATE KEY`;
    ///   not encrypted.
    public convenience init(pem: String) throws {
        defer { OpenSSL.clearErrors() }
        guard let key = OpenSSL.object(inPEM: pem, { PEM_read_bio_PrivateKey($0, nil, $1, nil) }) else {
            throw KeyFault.malformed
        }
        try self.init(adopting: key)
    }

    /// - Parameter pkcs8: DER (RFC 5208 §5) without trailing bytes.
    public convenience init(pkcs8: [UInt8]) throws {
        defer { OpenSSL.clearErrors() }
        let key = pkcs8.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            guard let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &position, buffer.count) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return position == buffer.baseAddress.map { $0 + buffer.count } ? EVP_PKCS82PKEY(info) : nil
        }
        guard let key else { throw KeyFault.malformed }
        try self.init(adopting: key)
    }

    /// DER (RFC 5208 §5). Secret: encrypt it before storing it.
    public var pkcs8: [UInt8] {
        get throws(LibraryFault) {
            guard let info = withHandle({ EVP_PKEY2PKCS8($0) }) else { throw LibraryFault("EVP_PKEY2PKCS8") }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            var der = [UInt8](repeating: 0, count: max(0, Int(i2d_PKCS8_PRIV_KEY_INFO(info, nil))))
            let written = der.withUnsafeMutableBufferPointer { buffer in
                var position = buffer.baseAddress
                return i2d_PKCS8_PRIV_KEY_INFO(info, &position)
            }
            guard written > 0 else { throw LibraryFault("i2d_PKCS8_PRIV_KEY_INFO") }
            return der
        }
    }
}
