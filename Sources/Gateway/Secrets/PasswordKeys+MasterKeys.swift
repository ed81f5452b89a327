internal import Crypto
internal import Encoding
internal import Identity
internal import Storage

extension PasswordKeys {
    /// Stores password keys (secret keys of imported password hashes) encrypted under the master key. The same key in
    /// the same realm gets the same ID until the master key changes.
    static func sealed(in store: PasswordKeyStore, under masterKeys: MasterKeys, clock: WallClock) -> PasswordKeys {
        let box = SealedBox(keys: masterKeys)
        let idKey = masterKeys.key(for: "ids of password keys")
        return PasswordKeys { key, realm in
            // The length prefix makes the message unambiguous: no other realm and key produce it.
            let message = Array("\(realm.rawValue.utf8.count):\(realm)".utf8) + key.bytes
            let id = ID<PasswordKey>(Hexadecimal.encode(Array(HMAC.sha256(key: idKey, message: message).prefix(16))))
            let sealed = try box.seal(key.bytes, context: context(id, in: realm))
            try await store.add(PasswordKeyStore.Stored(realm: realm, id: id, sealed: sealed), at: clock.now())
            return id
        } find: { id in
            try await store.key(id).map { stored in
                PasswordKey(try box.open(stored.sealed, context: context(stored.id, in: stored.realm)))
            }
        }
    }

    /// Returns the row and column that the ciphertext of a password key is bound to.
    static func context(_ id: ID<PasswordKey>, in realm: ID<Realm>) -> String {
        "password_key/\(realm)/\(id)/key"
    }
}
