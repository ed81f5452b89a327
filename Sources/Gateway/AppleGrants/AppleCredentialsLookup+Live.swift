internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Storage

extension AppleCredentialsLookup {
    /// Reads the Apple team and the private key of a realm (a project or tenant), and caches them for
    /// ``ConfigurationCache/lifetime``.
    ///
    /// Finds the credentials even if `apple.com` is disabled in the realm or does not list the client ID, so that
    /// tokens can still be revoked. Apple rejects a client ID that the key does not belong to.
    static func live(on pool: Pool, under masterKeys: MasterKeys) -> AppleCredentialsLookup {
        let store = AppleKeyStore(pool: pool)
        let box = SealedBox(keys: masterKeys)
        let keys = Cache<ID<Realm>, AppleKey?>(lifetime: ConfigurationCache.lifetime) { realm in
            try await store.key(of: realm).map {
                do {
                    let pem = try box.open($0.sealed, context: SecretEncryption.context(.apple, in: realm))
                    return AppleKey(name: $0.name, privateKey: Secret(String(decoding: pem, as: UTF8.self)))
                } catch {
                    throw AppleKeyFault.unreadable
                }
            }
        }
        return AppleCredentialsLookup { client in
            try await keys.value(for: client.realm).map {
                AppleClientCredentials(clientID: client.clientID, key: $0.name, privateKey: $0.privateKey)
            }
        }
    }
}

private struct AppleKey: Sendable {
    let name: AppleKeyName
    let privateKey: Secret
}
