internal import Gateway

/// What can be asked of the binary. Each command's help is the text beside it.
struct Command: Sendable {
    let words: [String]
    let help: String
    let run: @Sendable ([String]) throws -> Void

    static let all: [Command] = [
        .dev, .simulate, .serve, .migrate, .check, .verifyToken,
        .createProject, .listProjects, .applyProject, .policy, .createApp, .listApps,
        .importUsers, .exportUsers,
        .createAPIKey, .listAPIKeys, .revokeAPIKey,
        .createServiceKey, .listServiceKeys, .revokeServiceKey,
        .listSigningKeys, .rotateSigningKeys, .rotateRefreshKey, .rewrap, .generateMasterKey,
        .listAudit, .exportAudit,
        .testEmail, .listEmails,
    ]

    /// Finds the command that `arguments` begin with and runs it with the rest.
    static func run(_ arguments: [String]) throws {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        let wantsHelp = arguments.contains("--help") || arguments.contains("-h") || words.first == "help"
        let named = words.first == "help" ? Array(words.dropFirst()) : Array(words)
        guard let command = all.first(where: { named.starts(with: $0.words) }) else {
            guard wantsHelp || arguments.isEmpty else {
                throw UsageError(
                    message: words.isEmpty
                        ? "unknown option \(arguments[0])" : "unknown command: \(words.joined(separator: " "))")
            }
            return Terminal.writeLine(overview(of: named))
        }
        if wantsHelp { return Terminal.writeLine(command.help) }
        try command.run(Array(arguments.dropFirst(command.words.count)))
    }

    /// The first line of every command's help that begins with `words`.
    private static func overview(of words: [String]) -> String {
        let shown = all.filter { $0.words.starts(with: words) }
        let lines = (shown.isEmpty ? all : shown).compactMap { $0.help.split(separator: "\n").first }
        return """
            Sekisho, an authentication gateway that speaks Firebase Authentication's protocol.

            \(lines.map { "  \($0)" }.joined(separator: "\n"))

            `sekisho COMMAND --help` tells more. Exit status: 0 done, 1 failed, 2 called or configured wrongly.
            """
    }
}
