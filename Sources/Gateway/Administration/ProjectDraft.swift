package import Crypto
package import Identity
package import Postgres
internal import Storage
internal import Tokens

/// A project that is not created yet, with the secrets of its providers.
package struct ProjectDraft: Sendable {
    /// The first app of every new project.
    package static let defaultApp = App(id: ID("default"))
    /// IDs that no project can have, because the project's path `/{project}/.well-known/…` would collide with a path of
    /// the gateway.
    private static let reserved: Set<String> = [
        "v1", "v2", "robot", "emulator", "console", "identitytoolkit", "healthz", "readyz", "metrics",
    ]

    /// The realm of the project itself.
    package var realm: Realm
    package let name: String
    let algorithm: SignatureAlgorithm
    /// The client secrets and private keys of the providers.
    package var secrets: [ProviderID: Secret] = [:]

    package init(
        id: String, name: String, profile: Policy.Profile, policy: Policy, algorithm: SignatureAlgorithm,
        domains: [String], supporting supportedProviders: SupportedProviders
    ) throws(UsageError) {
        guard Self.isValidID(id) else {
            throw UsageError(
                message:
                    "expected a project ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen) that is not reserved for a path of the gateway, got \"\(id)\""
            )
        }
        // Twelve digits, like Firebase's project numbers.
        let number = 100_000_000_000 + Random.bytes(5).reduce(Int64(0)) { $0 << 8 | Int64($1) } % 900_000_000_000
        realm = Realm(
            Project(
                id: ID(id), number: number, profile: profile, authorizedDomains: domains, supporting: supportedProviders
            ),
            policy: policy)
        self.name = name
        self.algorithm = algorithm
    }

    package static func isValidID(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil && !reserved.contains(text)
    }

    /// Creates the project with its signing keys.
    ///
    /// - Parameter signsFrom: when the keys begin to sign (default: now).
    /// - Returns: `false` if the ID is taken.
    package func create(
        in pool: Pool, under masterKeys: MasterKeys, by actor: AuditActor, at now: Instant, signsFrom: Instant? = nil
    ) async throws -> Bool {
        let generator = KeyGenerator(masterKeys: masterKeys)
        let keys = [
            try generator.idTokenKey(algorithm, in: realm.project.id, at: now, signsFrom: signsFrom ?? now),
            try generator.refreshTokenKey(in: realm.project.id, at: now, signsFrom: signsFrom ?? now),
        ]
        let encryption = SecretEncryption.sealing(under: masterKeys)
        let sealed = try Dictionary(
            uniqueKeysWithValues: secrets.map { ($0.key, try encryption.seal($0.value, $0.key, realm.id)) })
        return try await ProjectStore(pool: pool, supporting: realm.project.supportedProviders)
            .create(realm, name: name, app: Self.defaultApp, keys: keys, secrets: sealed, by: actor, at: now)
    }
}
