internal import Crypto
internal import Encoding
internal import Identity

extension FactorSecrets {
    /// Creates the secrets of second factors, and encrypts them under the master key.
    static func sealing(under masterKeys: MasterKeys) -> FactorSecrets {
        let box = SealedBox(keys: masterKeys)
        return FactorSecrets(
            newID: { ID(Random.text(length: 28)) }, newSecret: { Random.bytes(20) },
            newRecoveryCode: { Base32.encode(Random.bytes(15), .crockford) },
            hmacSHA1: { try HMAC.code(of: $1, key: $0, by: .sha1) },
            seal: { try box.seal($0, context: context(of: $1, in: $2)) },
            open: { try box.open($0, context: context(of: $1, in: $2)) },
            hash: { code, account, realm in
                // The length prefixes make the message unambiguous.
                let names = [realm.rawValue, account.rawValue].map { "\($0.utf8.count):\($0)" }.joined()
                return Digest.sha256(Array("recovery code\(names)\(code)".utf8))
            })
    }

    /// The row and column that the ciphertext of a secret is bound to. A merge moves the row to another account.
    static func context(of factor: ID<Factor>, in realm: ID<Realm>) -> String {
        "second_factor/\(realm)/\(factor)/secret"
    }
}
