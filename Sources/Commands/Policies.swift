internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let policy = Command(
        words: ["projects", "policy"],
        summary: "Show the policy of a project, or change it",
        operand: .projectID,
        options: [
            .text(
                "set", "NAME=VALUE", "change a setting; the change takes effect within seconds", isRepeatable: true)
        ],
        details: [
            "Client networks: passwordFailureLimit and signUpLimit apply to each IPv4 address and each IPv6 /64; four times the limit applies to an IPv4 /24 or an IPv6 /56, and sixteen times the limit to an IPv6 /48. emailLimit applies to each IPv4 /24 and each IPv6 /48.",
            "For all email addresses together, the limits are ten times passwordFailureLimit wrong passwords, and ten times emailLimit emails of one purpose. Both use the network sizes of passwordFailureLimit. A project and its tenants share the limits of emailLimit. The first password reset email to an email address in a quarter of an hour is sent even if the limits of this email address are exhausted; only the limit for all email addresses together applies to it. The project and each tenant can send such a first email.",
            "After 100 wrong passwords for one email address in an hour, networks in which the account has signed in or reset its password in the last 30 days can continue. All other networks together get one attempt a minute. If passwordFailureLimit is 0, this limit does not apply either.",
        ],
        tables: [
            HelpTable(
                title: "Settings of the policy",
                rows: Policy.members.map { ($0.name, "\($0.meaning) (\($0.values))") })
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try ID<Project>(projectNamed: arguments.operand)
        let changes = try arguments.texts("set").map(PolicyChange.init)
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(id), by: .commandLine, allowing: .changeTrust) {
                configuration in
                for change in changes { _ = change.member.set(change.value, in: &configuration.project.policy) }
            }
            guard let after = edit?.after else { throw Failure(message: "project \(id) does not exist") }
            let policy = after.project.policy
            Terminal.writeTable(Policy.members.map { [$0.name, $0.text(in: policy), $0.meaning] })
            after.writeWarnings()
        }
    }
}

/// A validated argument `NAME=VALUE`.
private struct PolicyChange: Sendable {
    let member: Policy.Member
    let value: String

    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let member = Policy.members.first(where: { $0.name == parts[0] }) else {
            throw UsageError(message: "--set: expected NAME=VALUE with a name that --help lists, got \"\(text)\"")
        }
        var draft = Policy(.sekisho)
        guard member.set(parts[1], in: &draft) else {
            throw UsageError(message: "--set \(member.name): expected \(member.values), got \"\(parts[1])\"")
        }
        self.member = member
        value = parts[1]
    }
}
