internal import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Identity
internal import Postgres
internal import Storage

extension Command {
    package static let applyProject = Command(
        words: ["projects", "apply"],
        help: """
            projects apply FILE             configure a project as a JSON file says

            FILE is `-` for standard input. What it leaves out stays as it is; a member that is not known is an error.
            Nothing is changed where anything would be wrong, App Review guideline 4.8 included, and every problem is
            told. What is changed takes effect within seconds; applied again, nothing changes.
              --dry-run   show what would be changed
              --prune     what FILE leaves out goes, or goes back to its default; names and kept secrets stay
              --create    make the project if there is none
              --discard-identities   unlink the identities of an oidc.NAME whose issuer changes; without it, the
                          change is rejected while there are any
            FILE is an object of
              project             its id
              name, profile       as `projects create` takes them
              policy              members as `projects policy --help` lists them
              authorizedDomains   a list of hosts
              mail                senderAddress, senderName, replyTo, actionUrl (a page at an authorized domain that
                                  links lead to), language (en, ja) and subjects (all of them, by kind of letter and
                                  language); null for each: the installation's own
              providers           by id: apple.com, google.com, oidc.NAME. Each with enabled (true for a new one) and
                                  clientIds; Apple with teamId, keyId, acceptsUnhashedNonces and privateKey or
                                  privateKeyFile; the others with clientSecret or clientSecretFile; oidc.NAME with
                                  issuer, displayName and trustsEmail. Paths are relative to FILE.
              apps                by id: name, platform (ios, macos, android, web, other), distribution (appStore,
                                  marketplace, playStore, enterprise, web, other), bundleId, signInMethods (in the
                                  order to be shown; null: all that are enabled), clientIds (lists by provider),
                                  exemption (kind and reason, or null; kinds are ownAccountsOnly,
                                  alternativeMarketplace, organisationAccounts, governmentIdentity, thirdPartyClient)
            Reads DATABASE_URL and SEKISHO_MASTER_KEY, and SEKISHO_PUBLIC_URL where actionUrl is at the gateway's host.
            """
    ) { words in
        let arguments = try Arguments(
            words, options: [], switches: ["dry-run", "prune", "create", "discard-identities"])
        let file = try ProjectFile(at: arguments.only("file"))
        var reader = SettingsReader.live()
        let publicURL = reader.optional(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.finish()
        let application = Application(
            file: file, rules: .live(publicURL: publicURL), isRehearsal: arguments.has("dry-run"),
            prunes: arguments.has("prune"),
            creates: arguments.has("create"),
            permissions: arguments.has("discard-identities") ? [.changeTrust, .discardIdentities] : .changeTrust)
        try Administration.runWithKeys { try await application.run(on: $0, under: $1) }
    }
}

extension ProjectFile {
    fileprivate init(at path: String) throws {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor > STDIN_FILENO { close(descriptor) } }
        guard let json = Self.bytes(of: descriptor) else { throw UsageError(message: "\(path) cannot be read") }
        try self.init(parsing: json) { name in
            // Whatever is wrong with the file, the problem names its path.
            try? String(contentsOfFile: name.hasPrefix("/") || path == "-" ? name : folder + name, encoding: .utf8)
        }
    }

    /// - Returns: a byte more than may be there at most; `nil` for what cannot be read.
    private static func bytes(of descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= sizeLimit {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// A file on its way into the database.
private struct Application: Sendable {
    let file: ProjectFile
    let rules: ConfigurationRules
    let isRehearsal: Bool
    let prunes: Bool
    let creates: Bool
    let permissions: EditPermissions

    func run(on administration: Administration, under masterKeys: MasterKeys) async throws {
        let store = ConfigurationStore(
            pool: administration.pool, rules: rules, secrets: .sealing(under: masterKeys),
            clock: administration.clock)
        let edit = try await store.edit(
            ID(file.project), by: .commandLine, allowing: permissions, isRehearsal: isRehearsal, change)
        if let edit { return report(edit.after.changes(since: edit.before), discarded: edit.discarded) }
        guard creates else {
            throw Failure(
                message:
                    "there is no project \(file.project): `sekisho projects create \(file.project)` makes one, and so does --create"
            )
        }
        let draft = try draft()
        var configuration = ProjectConfiguration(
            project: draft.project, name: draft.name,
            apps: [ConfiguredApp(app: ProjectDraft.app, name: ProjectDraft.app.id.rawValue)])
        let fresh = configuration
        // Judged before there is anything.
        try change(&configuration)
        if !isRehearsal {
            _ = try await draft.create(
                in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
            _ = try await store.edit(ID(file.project), by: .commandLine, allowing: permissions, change)
        }
        Terminal.writeLine("+ project \(file.project)")
        report(configuration.changes(since: fresh), discarded: [:])
    }

    /// - Throws: ``ConfigurationRefusal`` for anything that is wrong, also if it was before.
    private func change(_ configuration: inout ProjectConfiguration) throws {
        file.apply(to: &configuration, pruning: prunes)
        let problems = configuration.problems(by: rules)
        guard problems.isEmpty else { throw ConfigurationRefusal(problems: problems) }
    }

    private func draft() throws(UsageError) -> ProjectDraft {
        let profile = file.profile ?? .sekisho
        return try ProjectDraft(
            id: file.project.rawValue, name: file.name ?? file.project.rawValue, profile: profile,
            policy: Policy(profile), algorithm: .es256, domains: [])
    }

    private func report(_ changes: [ConfigurationChange], discarded: [ProviderID: Int]) {
        for change in changes { Terminal.writeLine(change.line) }
        for (provider, count) in discarded.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Terminal.writeLine("- identities of \(provider.rawValue): \(count)")
        }
        guard !changes.isEmpty else { return Terminal.writeLine("nothing to change") }
        let count = "\(changes.count) \(changes.count == 1 ? "change" : "changes")"
        Terminal.writeLine(isRehearsal ? "\(count), not made" : "\(count) made")
    }
}

extension ConfigurationChange {
    /// As the terminal shows it: `+` came, `-` went, `~` became otherwise. Secrets are not shown.
    var line: String {
        let name = path.joined(separator: ".")
        return switch (old, new) {
        case (nil, let new): "+ \(name): \(isSecret ? "set" : Self.oneLine(new))"
        case (let old, nil): "- \(name): \(isSecret ? "taken away" : Self.oneLine(old))"
        case (let old, let new): "~ \(name): \(isSecret ? "changed" : "\(Self.oneLine(old)) → \(Self.oneLine(new))")"
        }
    }

    private static func oneLine(_ text: String?) -> String {
        String((text ?? "").map { $0.isNewline ? " " : $0 })
    }
}
