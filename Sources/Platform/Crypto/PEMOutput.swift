internal import CSystem

extension PublicKey {
    /// `BEGIN PUBLIC KEY` (RFC 7468 §13).
    public var pem: String {
        get throws(LibraryFault) {
            guard let pem = withHandle({ key in OpenSSL.text { PEM_write_bio_PUBKEY($0, key) } }) else {
                throw LibraryFault("PEM_write_bio_PUBKEY")
            }
            return pem
        }
    }
}

extension PrivateKey {
    /// `BEGIN PRIVATE KEY` (RFC 7468 §10). Secret, because it is not encrypted.
    public var pem: String {
        get throws(LibraryFault) {
            let pem = withHandle { key in
                OpenSSL.text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
            }
            guard let pem else { throw LibraryFault("PEM_write_bio_PKCS8PrivateKey") }
            return pem
        }
    }
}
