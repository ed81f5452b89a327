package import Crypto
internal import EventLoop
internal import HTTP
package import Identity
internal import Postgres
internal import Providers
internal import Storage

extension Administration {
    /// The team and the private key that a transfer uses instead of the configured ones.
    package struct AppleKeyOverride: Sendable {
        package let name: AppleKeyName
        package let privateKey: Secret

        package init(name: AppleKeyName, privateKey: Secret) {
            self.name = name
            self.privateKey = privateKey
        }
    }

    /// Runs `body` with an ``AppleTransferRun`` for a realm.
    ///
    /// - Parameters:
    ///   - override: the team and the key to use; `nil` uses those in the realm's settings.
    ///   - clientID: the client ID of all requests; `nil` uses the client ID of each identity's latest sign-in.
    ///   - appleURL: the base URL of a simulated Apple; `nil` for Apple itself.
    /// - Throws: ``Failure`` if the realm does not exist, has no settings for `apple.com`, or has no key and `override`
    ///   is `nil`.
    package func withTransferRun(
        in id: ID<Realm>, with override: AppleKeyOverride?, clientID: String?, at appleURL: String?,
        under masterKeys: MasterKeys, _ body: (AppleTransferRun) async throws -> Void
    ) async throws {
        let realm = try await requireRealm(id)
        guard let settings = realm.settings(of: .apple) else {
            throw Failure(message: "apple.com is not configured in \(id): run `sekisho projects apply` first")
        }
        // The realm alone determines the key, so the lookup also finds it with an empty client ID.
        let stored = try await AppleCredentialsLookup.live(on: pool, under: masterKeys)
            .find(AppleClientReference(realm: id, clientID: clientID ?? ""))
        guard let key = override ?? stored.map({ AppleKeyOverride(name: $0.key, privateKey: $0.privateKey) }) else {
            throw Failure(
                message: "apple.com lacks a team ID, key ID or private key in \(id): run `sekisho projects apply` first"
            )
        }
        let client = try HTTP.Client(loop: pool.loop)
        let endpoints = appleURL.map { AppleEndpoints(base: $0) } ?? .live
        let run = AppleTransferRun(
            id, settings: settings, clientID: clientID, key: key.name, privateKey: key.privateKey,
            endpoint: .http(client, at: endpoints, clock: clock), pool: pool, clock: clock,
            recording: realm.recording(by: .commandLine))
        try await perform {
            try await body(run)
        } finally: {
            await client.close()
        }
    }
}
