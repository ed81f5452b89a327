internal import Crypto
internal import Gateway
internal import Identity
internal import Postgres
internal import Storage
internal import Tokens

extension Command {
    package static let createProject = Command(
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
            else { throw Failure(message: "there is a project \(draft.project.realm) already") }
            Terminal.writeLine("created project \(draft.project.realm)")
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
                    + projects.map { [$0.realm.rawValue, "\($0.number)", $0.profile.rawValue] })
        }
    }
}

extension ProjectDraft {
    fileprivate init(_ arguments: Arguments) throws(UsageError) {
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
}
