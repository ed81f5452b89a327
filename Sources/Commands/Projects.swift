internal import Crypto
internal import Gateway
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

extension Command {
    static let createProject = Command(
        words: ["projects", "create"],
        summary: "Create a project with signing keys and an app named \"default\"",
        operand: .projectID,
        options: [
            .text("name", "NAME", "name shown to users in emails and on pages", defaultNote: "ID"),
            .choice(
                "profile", "NAME", Policy.Profile.names,
                "policy profile (a set of defaults for the policy): `sekisho` has the safer defaults, `firebase` has Firebase's defaults",
                default: "sekisho"),
            .choice("algorithm", "NAME", ["ES256", "RS256"], "algorithm of ID tokens", default: "ES256"),
            .text("domain", "HOST", "authorized domain: host that links and redirects may lead to", isRepeatable: true),
        ],
        details: [
            "ID has 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning. Some IDs are reserved for paths of the gateway, such as `v1`.",
            "The app \"default\" has the platform and distribution `other`, no bundle ID, and every sign-in method that the project enables. `sekisho projects apply` can change these settings. While the platform is `other`, the client IDs of apple.com may be bundle IDs or Services IDs.",
            "Apple's App Review guideline 4.8 applies to every app of the project. An app can offer a third-party login only if it also offers apple.com or declares an exemption. Third-party logins are \(ProviderNames.thirdPartyIDs) and each oidc.NAME that is not declared as your company's own account system. The policy setting requiresAppleOnEveryPlatform can limit this rule to apps for Apple's platforms; an app with the platform `other` counts as one.",
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let draft = try ProjectDraft(arguments)
        try Administration.runWithKeys { administration, masterKeys in
            guard
                try await draft.create(
                    in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
            else {
                let exists = try await administration.projects.realm(ofProject: draft.realm.project.id) != nil
                throw Failure(
                    message: "project \(draft.realm.id) "
                        + (exists ? "already exists" : "was deleted; its ID is free when its audit events have expired")
                )
            }
            Terminal.writeLine("created project \(draft.realm.id)")
        }
    }

    static let listProjects = Command(
        words: ["projects", "list"],
        summary: "List all projects",
        options: [.json],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try Administration.run { administration in
            let projects = try await administration.projects.projectRealms().map(\.project)
            try Terminal.writeList(
                [["ID", "NUMBER", "PROFILE"]]
                    + projects.map { [$0.id.rawValue, "\($0.number)", $0.profile.rawValue] }, arguments)
        }
    }
}

extension ProjectDraft {
    fileprivate init(_ arguments: Arguments) throws(UsageError) {
        let id = arguments.operand
        let profile: Policy.Profile = try arguments.choice("profile")
        try self.init(
            id: id, name: arguments.optionalText("name") ?? id, profile: profile, policy: Policy(profile),
            algorithm: try arguments.choice("algorithm"), domains: arguments.texts("domain"),
            supporting: .live)
    }
}

extension Policy.Profile {
    static let names = [Policy.Profile.sekisho, .firebase].map(\.rawValue)
}
