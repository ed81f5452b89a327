package import Crypto
internal import Encoding
internal import Identity
internal import Storage

extension PasswordKeys {
    /// Sealed under the master key, in the database.
    static func sealed(in store: PasswordSchemeStore, under masterKeys: MasterKeys, clock: WallClock) -> PasswordKeys {
        let box = SealedBox(keys: masterKeys)
        let naming = masterKeys.key(for: "ids of password keys")
        return PasswordKeys { key, project in
            // Lengths apart, so that no other project and key give the same message.
            let message = Array("\(project.rawValue.utf8.count):\(project)".utf8) + key.bytes
            let id = ID<PasswordKey>(Hexadecimal.encode(Array(HMAC.sha256(key: naming, message: message).prefix(16))))
            let sealed = try box.seal(key.bytes, context: context(id, in: project))
            try await store.add(PasswordSchemeStore.Stored(realm: project, id: id, sealed: sealed), at: clock.now())
            return id
        } find: { id in
            try await store.key(id).map { stored in
                PasswordKey(try box.open(stored.sealed, context: context(stored.id, in: stored.realm)))
            }
        }
    }

    /// The place of a key in the database.
    fileprivate static func context(_ id: ID<PasswordKey>, in realm: ID<Realm>) -> String {
        "password_scheme/\(realm)/\(id)/key"
    }
}

extension PasswordSchemeStore {
    /// Seals what is sealed under the previous master key under the current one.
    ///
    /// - Returns: how many they were.
    package func rewrap(under masterKeys: MasterKeys) async throws -> Int {
        let box = SealedBox(keys: masterKeys)
        var count = 0
        for key in try await all() {
            let context = PasswordKeys.context(key.id, in: key.realm)
            guard let sealed = try box.resealed(key.sealed, context: context) else { continue }
            try await reseal(key, as: sealed)
            count += 1
        }
        return count
    }
}
