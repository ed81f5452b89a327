package import Crypto
package import Identity
package import Postgres
internal import Storage
internal import Tokens

/// A project as the operator asks for it, with the keys it will need.
package struct ProjectDraft: Sendable {
    package static let app = App(id: ID("default"))
    /// `/{project}/.well-known/…` must not hide behind a path of ours.
    private static let reserved: Set<String> = [
        "v1", "v2", "robot", "emulator", "identitytoolkit", "healthz", "readyz", "metrics",
    ]

    package var project: Project
    package let name: String
    let algorithm: SignatureAlgorithm
    /// Of the project's providers.
    package var secrets: [ProviderID: Secret] = [:]

    package init(
        id: String, name: String, profile: Policy.Profile, policy: Policy, algorithm: SignatureAlgorithm,
        domains: [String]
    ) throws(UsageError) {
        guard Self.canBeID(id) else {
            throw UsageError(
                message:
                    "a project id has at most 63 characters, a-z, 0-9 and hyphens, and is no path of the gateway's own")
        }
        // Twelve digits, as Firebase's project numbers have.
        let number = 100_000_000_000 + Random.bytes(5).reduce(Int64(0)) { $0 << 8 | Int64($1) } % 900_000_000_000
        project = Project(id: ID(id), number: number, profile: profile, policy: policy, authorizedDomains: domains)
        self.name = name
        self.algorithm = algorithm
    }

    package static func canBeID(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil && !reserved.contains(text)
    }

    /// - Parameter signsFrom: when its keys begin to sign; at once unless told.
    /// - Returns: `false` if the id is taken.
    package func create(
        in pool: Pool, under masterKeys: MasterKeys, by actor: AuditActor, at now: Instant, signsFrom: Instant? = nil
    ) async throws -> Bool {
        let maker = KeyGenerator(masterKeys: masterKeys)
        let keys = [
            try maker.idTokenKey(algorithm, in: project.id, at: now, signsFrom: signsFrom ?? now),
            try maker.refreshTokenKey(in: project.id, at: now, signsFrom: signsFrom ?? now),
        ]
        let keeper = SecretEncryption.sealing(under: masterKeys)
        let sealed = try Dictionary(
            uniqueKeysWithValues: secrets.map { ($0.key, try keeper.seal($0.value, $0.key, project.realm)) })
        return try await ProjectStore(pool: pool)
            .create(project, name: name, app: Self.app, keys: keys, secrets: sealed, by: actor, at: now)
    }
}
