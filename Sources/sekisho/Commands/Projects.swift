internal import Crypto
internal import Identity
internal import Postgres
internal import Storage
internal import Tokens

extension Command {
    static let createProject = Command(
        words: ["projects", "create"],
        help: """
            projects create ID              make a project with its signing keys and an app named "default"

            ID has at most 63 characters: a to z, 0 to 9 and hyphens.
              --name NAME        shown to operators; ID by default
              --profile NAME     sekisho (default: safer) or firebase (exactly Firebase's defaults)
              --algorithm NAME   of ID tokens: ES256 (default) or RS256
              --domain HOST      links and redirects may go there; may be repeated
            Reads DATABASE_URL and SEKISHO_MASTER_KEY.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["name", "profile", "algorithm", "domain"])
        let draft = try ProjectDraft(arguments)
        try Administration.runWithKeys { administration, masterKeys in
            guard
                try await draft.create(
                    in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
            else { throw Failure(message: "there is a project \(draft.project.id) already") }
            Terminal.say("created project \(draft.project.id)")
        }
    }

    static let listProjects = Command(
        words: ["projects", "list"],
        help: """
            projects list                   show all projects

            Reads DATABASE_URL.
            """
    ) { words in
        try Arguments(words, options: []).none()
        try Administration.run { administration in
            let projects = try await ProjectStore(pool: administration.pool).all()
            Terminal.table(
                [["ID", "NUMBER", "PROFILE"]]
                    + projects.map { [$0.id.rawValue, "\($0.number)", $0.profile.rawValue] })
        }
    }
}

/// A project as the operator asks for it, with the keys it will need.
struct ProjectDraft: Sendable {
    static let app = App(id: ID("default"))
    /// `/{project}/.well-known/…` must not hide behind a path of ours.
    private static let reserved: Set<String> = [
        "v1", "v2", "robot", "emulator", "identitytoolkit", "healthz", "readyz", "metrics",
    ]

    var project: Project
    let name: String
    let algorithm: SignatureAlgorithm
    /// Of the project's providers.
    var secrets: [ProviderID: Secret] = [:]

    init(_ arguments: Arguments) throws(UsageError) {
        let id = try arguments.only("project id")
        guard let profile = Policy.Profile(rawValue: arguments.value("profile") ?? "sekisho") else {
            throw UsageError(message: "--profile is sekisho or firebase")
        }
        guard let algorithm = SignatureAlgorithm(rawValue: arguments.value("algorithm") ?? "ES256") else {
            throw UsageError(message: "--algorithm is ES256 or RS256")
        }
        try self.init(
            id: id, name: arguments.value("name") ?? id, profile: profile, policy: Policy(profile),
            algorithm: algorithm, domains: arguments.values("domain"))
    }

    init(
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

    static func canBeID(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil && !reserved.contains(text)
    }

    /// - Parameter signsFrom: when its keys begin to sign; at once unless told.
    /// - Returns: `false` if the id is taken.
    func create(
        in pool: Pool, under masterKeys: MasterKeys, by actor: Operator, at now: Instant, signsFrom: Instant? = nil
    ) async throws -> Bool {
        let maker = KeyMaker(masterKeys: masterKeys)
        let keys = [
            try maker.idTokenKey(algorithm, in: project.id, at: now, signsFrom: signsFrom ?? now),
            try maker.refreshTokenKey(in: project.id, at: now, signsFrom: signsFrom ?? now),
        ]
        let keeper = SecretKeeper.sealing(under: masterKeys)
        let sealed = try Dictionary(
            uniqueKeysWithValues: secrets.map { ($0.key, try keeper.seal($0.value, $0.key, project.id)) })
        return try await ProjectStore(pool: pool)
            .create(project, name: name, app: Self.app, keys: keys, secrets: sealed, by: actor, at: now)
    }
}
