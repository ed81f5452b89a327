internal import Crypto
internal import Gateway
internal import Identity
internal import Postgres
internal import Providers
internal import Storage

/// Applies a project file to the database.
struct ProjectFileApplication: Sendable {
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
        let endpoints = administration.eventEndpoints(under: masterKeys)
        let endpointEdit = file.endpointEdit(
            of: try await endpoints.store.endpoints(of: file.project), pruning: prunes)
        if !isDryRun { try await storeImages(administration) }
        let edit = try await store.edit(
            ID(file.project), by: .commandLine, allowing: permissions, isDryRun: isDryRun, applyFile)
        if let edit {
            if !isDryRun { try await apply(endpointEdit, with: endpoints) }
            report(
                edit.after.changes(since: edit.before) + endpointEdit.changes,
                discardedIdentities: edit.discardedIdentities)
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
            realm: draft.realm, name: draft.name,
            apps: [ConfiguredApp(app: ProjectDraft.defaultApp, name: ProjectDraft.defaultApp.id.rawValue)])
        let initial = configuration
        applyFile(to: &configuration)
        // Rejects an invalid file before the project is created.
        let problems = configuration.problems(by: rules)
        guard problems.isEmpty else { throw ConfigurationRefusal(problems: problems) }
        if !isDryRun {
            _ = try await draft.create(
                in: administration.pool, under: masterKeys, by: .commandLine, at: administration.clock.now())
            try await storeImages(administration)
            _ = try await store.edit(ID(file.project), by: .commandLine, allowing: permissions, applyFile)
            try await apply(endpointEdit, with: endpoints)
        }
        report(configuration.changes(since: initial) + endpointEdit.changes, createsProject: true)
    }

    /// Does nothing if the project does not exist. Images that no brand uses in the end are deleted later.
    private func storeImages(_ administration: Administration) async throws {
        let images = BrandImageStore(pool: administration.pool, clock: administration.clock)
        for upload in file.uploads { _ = try await images.store(upload, of: file.project, by: .commandLine) }
    }

    private func apply(_ edit: ProjectFile.EndpointEdit, with endpoints: EventEndpoints) async throws {
        do {
            try await edit.apply(with: endpoints, to: file.project)
        } catch let refusal as EventEndpointRefusal {
            throw Failure(message: "eventEndpoints: \(refusal.detail ?? refusal.message)")
        }
    }

    private func applyFile(to configuration: inout ProjectConfiguration) {
        file.apply(to: &configuration, pruning: prunes)
    }

    private func draft() throws(UsageError) -> ProjectDraft {
        let profile = file.profile ?? .sekisho
        return try ProjectDraft(
            id: file.project.rawValue, name: file.name ?? file.project.rawValue, profile: profile,
            policy: Policy(profile), algorithm: .es256, domains: [], supporting: .live)
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
    /// Warns on standard error about the problems that existed before the edit.
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
