internal import API
internal import Gateway
internal import Identity

/// A command of the program. The parser and the help text both read its table of options.
struct Command: Sendable {
    let words: [String]
    /// An imperative sentence without a full stop.
    let summary: String
    var operand: Operand?
    var options: [Option] = []
    /// Paragraphs below the options.
    var details: [String] = []
    var tables: [HelpTable] = []
    /// The environment variables that the command reads. Empty if it reads none, or if ``details`` describes them.
    var environment: [String] = []
    let run: @Sendable (Arguments) throws -> Void

    static let all: [Command] = [
        .dev, .simulate, .serve, .migrate, .afterRestore, .check, .verifyToken,
        .createProject, .listProjects, .showProject, .projectTexts, .applyProject, .policy, .deleteProject,
        .createApp, .listApps, .deleteApp, .listTenants,
        .listUsers, .getUser, .setPassword, .disableUser, .enableUser, .signOutUser, .resetFactors,
        .impersonateUser, .deleteUser, .linkUser,
        .unlinkUser, .importUsers, .exportUsers,
        .createAPIKey, .listAPIKeys, .revokeAPIKey,
        .createServiceKey, .listServiceKeys, .revokeServiceKey,
        .listSigningKeys, .rotateSigningKey, .rotateRefreshKey, .rewrap, .generateMasterKey,
        .inviteAdministrator, .listAdministrators, .removeAdministrator,
        .listAudit, .exportAudit, .listCounts,
        .listEvents, .listEventEndpoints, .createEventEndpoint, .deleteEventEndpoint, .rotateEventSecret,
        .enableEventEndpoint, .replayEvents, .listEventDeliveries, .testHook,
        .registerGoogleSignals, .googleSignalStatus, .verifyGoogleSignals, .unregisterGoogleSignals,
        .testEmail, .listEmails,
        .exportTransfers, .importTransfers,
    ]

    /// A command that prints a list of what a project has, as a table or as JSON.
    ///
    /// - Parameter rows: returns the rows below `heading`.
    static func list(
        _ words: [String], summary: String, details: [String] = [], heading: [String],
        rows: @escaping @Sendable (Administration, ID<Project>) async throws -> [[String]]
    ) -> Command {
        Command(
            words: words, summary: summary, options: [.project, .json], details: details, environment: ["DATABASE_URL"]
        ) { arguments in
            let project = try arguments.project()
            try Administration.run { administration in
                try await administration.requireRealm(ID(project))
                try Terminal.writeList([heading] + (try await rows(administration, project)), arguments)
            }
        }
    }

    /// Returns the command whose words `arguments` begin with.
    static func named(by arguments: [String]) -> Command? {
        all.first { arguments.starts(with: $0.words) }
    }

    /// Returns the words of the command, or of the group of commands, that `arguments` begin with; empty if there is
    /// neither.
    static func helpWords(for arguments: [String]) -> [String] {
        if let command = named(by: arguments) { return command.words }
        let groups = [2, 1].map { Array(arguments.prefix($0)) }
        return groups.first { !subcommands(of: $0).isEmpty } ?? []
    }

    /// Returns the words that follow `group` in commands, in their order; empty if there is no such group.
    private static func subcommands(of group: [String]) -> [String] {
        guard !group.isEmpty else { return [] }
        let words = all.filter { $0.words.count > group.count && $0.words.starts(with: group) }
            .map { $0.words[group.count] }
        return words.enumerated().filter { !words[..<$0.offset].contains($0.element) }.map(\.element)
    }

    /// The error for words that are not a command.
    private static func noCommand(_ words: [String]) -> UsageError {
        let text = words.joined(separator: " ")
        let subcommands = subcommands(of: words)
        guard !subcommands.isEmpty else {
            let names = all.map { $0.words.joined(separator: " ") } + Set(all.map { $0.words[0] }).sorted()
            return UsageError(message: "unknown command: \(text)" + NearestName.question(text, among: names))
        }
        return UsageError(message: "\(text) requires a subcommand: \(subcommands.joined(separator: ", "))")
    }

    /// Runs the command that `arguments` begin with, or shows a help text.
    static func run(_ arguments: [String]) throws {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        let isHelpRequested = arguments.contains("--help") || arguments.contains("-h") || words.first == "help"
        if arguments == ["--version"] { return Terminal.writeLine("sekisho \(Release.version)") }
        let path = words.first == "help" ? Array(words.dropFirst()) : Array(words)
        guard let command = named(by: path) else {
            guard isHelpRequested || arguments.isEmpty else {
                throw words.isEmpty ? UsageError(message: "unknown option \(arguments[0])") : noCommand(path)
            }
            return Terminal.writeLine(HelpText.overview(of: all, under: path))
        }
        if isHelpRequested { return Terminal.writeLine(HelpText.text(of: command)) }
        let remaining = Array(arguments.dropFirst(command.words.count))
        try command.run(Arguments(remaining, options: command.options, operand: command.operand))
    }
}
