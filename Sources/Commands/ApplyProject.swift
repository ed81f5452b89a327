internal import Gateway
internal import Glibc
internal import Identity
internal import Providers
internal import Storage

extension Command {
    static let applyProject = Command(
        words: ["projects", "apply"],
        summary: "Configure a project from a JSON file",
        operand: .file,
        options: [
            .flag("dry-run", "show the changes without making them"),
            .flag(
                "prune",
                "remove the providers, apps and event endpoints that FILE omits; reset the other settings that FILE omits, except names, the profile, and the secrets of the remaining providers"
            ),
            .flag("create", "create the project if it does not exist"),
            .flag(
                "discard-identities",
                "unlink the identities of each oidc.NAME whose issuer changes; without this option, a new issuer is rejected while the provider has identities"
            ),
        ],
        details: [
            "FILE may be `-` for standard input. Without --prune, settings that FILE omits stay as they are. An unknown member is an error. Relative paths in members whose names end in File start at the directory of FILE, or at the current directory if FILE is `-`.",
            "Prints the list of changes: `+` marks an added setting, `-` a removed setting, and `~` a changed setting.",
            "If the changes would violate a configuration rule, such as App Review guideline 4.8, nothing is changed, and every new violation is reported. Violations that existed before are reported as warnings, and do not prevent changes. Changes take effect within seconds. Applying the same file again changes nothing.",
            "A new event endpoint has a new secret, which is not printed: `sekisho events rotate-secret` prints another one.",
            "bundleIds, androidPackages, androidCertificates and webDomains prevent mistakes, not attacks: any client can send the headers that name an app or a page. A request without such a header is accepted, unless the policy setting requiresCallerHeader is on.",
        ],
        tables: ProjectFileHelp.tables,
        environment: [
            "DATABASE_URL", "SEKISHO_MASTER_KEY",
            "SEKISHO_PUBLIC_URL (needed only if actionUrl is at the gateway's host)",
        ]
    ) { arguments in
        let file = try ProjectFile(at: arguments.operand)
        var reader = SettingsReader.live()
        let publicURL = reader.optional(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.requireNoProblems()
        let application = ProjectFileApplication(
            file: file, rules: .live(supporting: .live, publicURL: publicURL), isDryRun: arguments.has("dry-run"),
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
            try InputFile.bytes(of: name.hasPrefix("/") || path == "-" ? name : folder + name)
        }
    }
}
