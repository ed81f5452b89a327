internal import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Identity
internal import Postgres
internal import Storage

extension Command {
    private static let emailKinds = OutgoingEmail.Kind.allCases.map(\.name).joined(separator: ", ")

    private static let fileMembers: [(term: String, description: String)] = [
        ("project", "project ID"),
        (
            "name, profile",
            "as in the options --name and --profile of `projects create`; a new profile changes the policy settings that have the default of the former profile"
        ),
        ("policy", "settings that `projects policy --help` lists"),
        ("authorizedDomains", "list of the hosts that links and redirects may lead to"),
        (
            "email",
            "senderAddress, senderName, replyTo, actionUrl (the page that links lead to, at an authorized domain), language (en, ja) and subjects (by kind of email, then by language; they replace all earlier ones; kinds: \(emailKinds)); null resets a member to its default"
        ),
        ("providers", "members of each provider, by ID: apple.com, google.com, oidc.NAME"),
        ("apps", "members of each app, by ID"),
    ]

    private static let providerMembers: [(term: String, description: String)] = [
        ("enabled", "true or false (default: true for a new provider)"),
        ("clientIds", "accepted client IDs"),
        (
            "relation",
            "what the provider is to the project's apps, for guideline 4.8: social (a third-party or social login), own (your company's account system), organisation (accounts of a school or an employer), government (an identification system of citizens), marketplace (the login of an alternative app marketplace), thirdPartyService (the service whose client the app is); null: treated as social. Google: only social, or organisation with hostedDomains. Apple: only social"
        ),
        ("hostedDomains", "Google: the Workspace domains whose users are accepted; an empty list: all users"),
        ("teamId, keyId", "Apple: the IDs of the team and of its private key"),
        ("privateKey", "Apple: the text of the private key (.p8); an empty text removes the stored key"),
        ("privateKeyFile", "Apple: the path of the file with the private key"),
        ("acceptsUnhashedNonces", "Apple: whether a token may have the nonce itself instead of its SHA-256"),
        ("clientSecret", "Google, oidc.NAME: the client secret; an empty text removes the stored one"),
        ("clientSecretFile", "Google, oidc.NAME: the path of the file with the client secret"),
        ("issuer, displayName", "oidc.NAME: the issuer's URL, and the name on buttons or null"),
        ("trustsEmail", "oidc.NAME: whether the issuer's verified email addresses are trusted"),
    ]

    private static let appMembers: [(term: String, description: String)] = [
        ("name", "name shown to operators"),
        ("platform", "ios, macos, android, windows, web, other"),
        ("distribution", "appStore, marketplace, playStore, enterprise, web, other"),
        ("signInMethods", "provider IDs, password and anonymous, in display order; null: all that are enabled"),
        ("linkOnlyMethods", "providers whose identities can be linked but not used to sign in"),
        ("clientIds", "by provider: lists of accepted client IDs, instead of the provider's"),
        ("requestedScopes", "what the app requests from providers: email, name; null: both"),
        (
            "bundleIds",
            "bundle IDs of the app and its extensions; if any are listed, requests with the app's API keys that name another bundle ID are rejected"
        ),
        (
            "androidPackages",
            "Android packages; if any are listed, requests with the app's API keys that name another package are rejected"
        ),
        (
            "androidCertificates",
            "SHA-1 fingerprints of the certificates that sign androidPackages; if any are listed, requests with the app's API keys that name a package with another certificate are rejected"
        ),
        (
            "webDomains",
            "hosts of pages; if any are listed, requests with the app's API keys from pages of other hosts are rejected; *.example.com stands for all subdomains"
        ),
        (
            "associatedDomains",
            "hosts of this gateway at which it serves apple-app-site-association and assetlinks.json with this app"
        ),
        ("teamId", "Apple team in apple-app-site-association; null: the team of apple.com"),
        (
            "androidFingerprints",
            "SHA-256 fingerprints of the certificates that sign androidPackages, for assetlinks.json; they do not restrict API keys"
        ),
        (
            "redirectUris",
            "URLs that a sign-in by createAuthUri may return to (pages, app links, custom schemes); an empty list: every page of an authorized domain"
        ),
        (
            "exemption",
            "exemption from guideline 4.8, or null. Its members are reason (1 to 500 characters) and kind, which limits the providers that the app offers for sign-in. ownAccountsOnly: every provider has the relation own. organisationAccounts: every provider has the relation organisation, and the app offers neither password, nor anonymous, nor sign-in by an emailed link. governmentIdentity: every provider has the relation government. alternativeMarketplace: every provider has the relation marketplace, and the app's distribution is marketplace. thirdPartyClient: exactly one provider, with the relation social or thirdPartyService"
        ),
    ]

    static let applyProject = Command(
        words: ["projects", "apply"],
        summary: "Configure a project from a JSON file",
        operand: .file,
        options: [
            .flag("dry-run", "show the changes without making them"),
            .flag(
                "prune",
                "remove providers and apps that FILE omits, and reset other omitted settings to their defaults; omitted names, an omitted profile, and omitted secrets of providers in FILE are kept"
            ),
            .flag("create", "create the project if it does not exist"),
            .flag(
                "discard-identities",
                "unlink the identities of each oidc.NAME whose issuer changes; without it, such a change is rejected while the provider has identities"
            ),
        ],
        details: [
            "FILE may be `-` for standard input. Without --prune, what FILE omits stays as it is. An unknown member is an error. In the list of changes, `+` marks an added setting, `-` a removed one, and `~` a changed one. Relative paths of secrets begin at the directory of FILE; if FILE is `-`, at the current directory.",
            "If FILE would violate a configuration rule, such as App Review guideline 4.8, nothing is changed and every new violation is reported. Violations that existed before are reported as warnings. Changes take effect within seconds. Applying a file twice changes nothing the second time.",
            "bundleIds, androidPackages, androidCertificates and webDomains prevent mistakes, not attacks: any client can send the headers that name an app or a page. A request without such a header is accepted, unless the policy setting requiresCallerHeader is on.",
        ],
        tables: [
            HelpTable(title: "Members of FILE", rows: fileMembers),
            HelpTable(title: "Members of a provider", rows: providerMembers),
            HelpTable(title: "Members of an app", rows: appMembers),
        ],
        environment: [
            "DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_PUBLIC_URL (for an actionUrl at the gateway's host)",
        ]
    ) { arguments in
        let file = try ProjectFile(at: arguments.operand)
        var reader = SettingsReader.live()
        let publicURL = reader.optional(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.finish()
        let application = ProjectFileApplication(
            file: file, rules: .live(publicURL: publicURL), isDryRun: arguments.has("dry-run"),
            prunes: arguments.has("prune"),
            creates: arguments.has("create"),
            permissions: arguments.has("discard-identities") ? [.changeTrust, .discardIdentities] : .changeTrust)
        try Administration.runWithKeys { try await application.run(on: $0, under: $1) }
    }
}

extension ProjectFile {
    fileprivate init(at path: String) throws {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let json: [UInt8]
        do {
            json = try path == "-" ? InputFile.bytes(from: STDIN_FILENO, of: path) : InputFile.bytes(of: path)
        } catch {
            throw UsageError(message: error.description)
        }
        try self.init(parsing: json) { name throws(UnreadableFile) in
            try InputFile.text(of: name.hasPrefix("/") || path == "-" ? name : folder + name)
        }
    }
}

/// Applies a project file to the database.
private struct ProjectFileApplication: Sendable {
    let file: ProjectFile
    let rules: ConfigurationRules
    let isDryRun: Bool
    let prunes: Bool
    let creates: Bool
    let permissions: EditPermissions

    func run(on administration: Administration, under masterKeys: MasterKeys) async throws {
        let store = ConfigurationStore(
            pool: administration.pool, rules: rules, secrets: .sealing(under: masterKeys),
            clock: administration.clock)
        let edit = try await store.edit(
            ID(file.project), by: .commandLine, allowing: permissions, isDryRun: isDryRun, applyFile)
        if let edit {
            report(edit.after.changes(since: edit.before), discardedIdentities: edit.discardedIdentities)
            return edit.after.writeWarnings()
        }
        guard creates else {
            throw Failure(
                message:
                    "project \(file.project) does not exist. Create it with --create or `sekisho projects create \(file.project)`."
            )
        }
        let draft = try draft()
        var configuration = ProjectConfiguration(
            project: draft.project, name: draft.name,
            apps: [ConfiguredApp(app: ProjectDraft.app, name: ProjectDraft.app.id.rawValue)])
        let initial = configuration
        applyFile(to: &configuration)
        // Rejects an invalid file before the project is created.
        let problems = configuration.problems(by: rules)
        guard problems.isEmpty else { throw ConfigurationRefusal(problems: problems) }
        if !isDryRun {
            _ = try await draft.create(
                in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
            _ = try await store.edit(ID(file.project), by: .commandLine, allowing: permissions, applyFile)
        }
        report(configuration.changes(since: initial), createsProject: true)
    }

    private func applyFile(to configuration: inout ProjectConfiguration) {
        file.apply(to: &configuration, pruning: prunes)
    }

    private func draft() throws(UsageError) -> ProjectDraft {
        let profile = file.profile ?? .sekisho
        return try ProjectDraft(
            id: file.project.rawValue, name: file.name ?? file.project.rawValue, profile: profile,
            policy: Policy(profile), algorithm: .es256, domains: [])
    }

    private func report(
        _ changes: [ConfigurationChange], createsProject: Bool = false, discardedIdentities: [ProviderID: Int] = [:]
    ) {
        let lines = (createsProject ? ["+ project \(file.project)"] : []) + changes.map(\.line)
        for line in lines { Terminal.writeLine(line) }
        for (provider, count) in discardedIdentities.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Terminal.writeLine("- identities of \(provider.rawValue): \(count)")
        }
        guard !lines.isEmpty else { return Terminal.writeLine("no changes") }
        let count = "\(lines.count) \(lines.count == 1 ? "change" : "changes")"
        Terminal.writeLine(isDryRun ? "\(count), not applied (dry run)" : "\(count) applied")
    }
}

extension ProjectConfiguration {
    /// Writes to standard error the problems that existed before the edit.
    func writeWarnings() {
        for problem in warnings { Terminal.writeError("warning: existing problem: \(problem.listItem)") }
    }
}

extension ConfigurationChange {
    /// One line of the report: `+` for added, `-` for removed, `~` for changed. Values of secrets are not shown.
    var line: String {
        let name = path.joined(separator: ".")
        return switch (old, new) {
        case (nil, let new): "+ \(name): \(isSecret ? "set" : Self.oneLine(new))"
        case (let old, nil): "- \(name): \(isSecret ? "removed" : Self.oneLine(old))"
        case (let old, let new): "~ \(name): \(isSecret ? "changed" : "\(Self.oneLine(old)) → \(Self.oneLine(new))")"
        }
    }

    private static func oneLine(_ text: String?) -> String {
        String((text ?? "").map { $0.isNewline ? " " : $0 })
    }
}
