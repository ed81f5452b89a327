internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let policy = Command(
        words: ["projects", "policy"],
        help: """
            projects policy ID              show what a project allows, and change it

              --set NAME=VALUE   may be repeated; takes effect within seconds
            \(Policy.members.map { "  \($0.name): \($0.values); \($0.meaning)" }.joined(separator: "\n"))
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["set"])
        let id = try ID<Project>(projectNamed: try arguments.only("project id"))
        let changes = try arguments.values("set").map(PolicyChange.init)
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(id), by: .commandLine, allowing: .changeTrust) {
                configuration in
                for change in changes { _ = change.member.set(change.value, in: &configuration.project.policy) }
            }
            guard let policy = edit?.after.project.policy else { throw Failure(message: "there is no project \(id)") }
            Terminal.table(Policy.members.map { [$0.name, $0.text(in: policy), $0.meaning] })
        }
    }
}

/// `NAME=VALUE`, known to be possible.
private struct PolicyChange: Sendable {
    let member: Policy.Member
    let value: String

    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let member = Policy.members.first(where: { $0.name == parts[0] }) else {
            throw UsageError(message: "--set takes NAME=VALUE with one of the names that --help lists")
        }
        var probe = Policy(.sekisho)
        guard member.set(parts[1], in: &probe) else {
            throw UsageError(message: "\(member.name) takes \(member.values)")
        }
        self.member = member
        value = parts[1]
    }
}
