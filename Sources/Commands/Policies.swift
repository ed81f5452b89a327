internal import Gateway
internal import Identity
internal import Storage

extension Command {
    private static let rateLimits: [(term: String, description: String)] = [
        (
            "passwordFailureLimit",
            "wrong passwords for one email address from one client network in ten minutes"
        ),
        (
            "10 x passwordFailureLimit",
            "wrong passwords for all email addresses together from one client network in ten minutes"
        ),
        (
            "100",
            "wrong passwords for one email address from all networks together in an hour. After that, the networks in which the user has signed in or reset the password in the last 30 days can continue; all other networks together get one attempt a minute"
        ),
        ("signUpLimit", "sign-ups from one client network in an hour"),
        (
            "emailLimit",
            "emails of one purpose, such as password resets, to one email address, requested from one IPv4 /24 or IPv6 /48 in a quarter of an hour"
        ),
        (
            "2 x emailLimit",
            "emails of one purpose to one email address, requested from all networks together in a quarter of an hour"
        ),
        (
            "10 x emailLimit",
            "emails of one purpose to all email addresses together, requested from one client network in a quarter of an hour"
        ),
    ]

    static let policy = Command(
        words: ["projects", "policy"],
        summary: "Show the policy of a project, or change it",
        operand: .projectID,
        options: [
            .text(
                "set", "NAME=VALUE", "change a setting; the change takes effect within seconds", isRepeatable: true)
        ],
        details: [
            "In the rate limits below, a client network is an IPv4 address or an IPv6 /64. What counts against the limit of a client network also counts against the wider networks that contain it: an IPv4 /24 and an IPv6 /56 have four times the limit, an IPv6 /48 has sixteen times the limit.",
            "A project and its tenants share the rate limits, with two exceptions. First, the project itself and each tenant have their own limits on wrong passwords for one email address. Second, the project itself and each tenant can send one password reset email to an address in a quarter of an hour, even if the shared limits on emails to this address are reached. Therefore, requests to one tenant that reach these limits cannot block the first password reset for the address in another tenant.",
            "If a setting is 0, every row of the table below that names the setting is off, including the rows with 2 x and 10 x. If passwordFailureLimit is 0, the row with the fixed limit of 100 is off too, so wrong passwords are not limited at all.",
        ],
        tables: [
            HelpTable(title: "Rate limits", rows: rateLimits),
            HelpTable(
                title: "Settings of the policy",
                rows: Policy.members.map { ($0.name, "\($0.meaning) (\($0.values); \($0.defaults))") }),
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try ID<Project>(projectNamed: arguments.operand)
        let changes = try arguments.texts("set").map(PolicyChange.init)
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(id), by: .commandLine, allowing: .changeTrust) {
                configuration in
                for change in changes { _ = change.member.set(change.value, in: &configuration.realm.policy) }
            }
            guard let after = edit?.after else { throw Failure(message: "project \(id) does not exist") }
            let policy = after.realm.policy
            Terminal.writeTable(Policy.members.map { [$0.name, $0.text(in: policy), $0.meaning] })
            after.writeWarnings()
        }
    }
}

extension Policy.Member {
    /// The default values, for the help text.
    fileprivate var defaults: String {
        let (safer, ofFirebase) = (text(in: Policy(.sekisho)), text(in: Policy(.firebase)))
        return safer == ofFirebase ? "default \(safer)" : "default \(safer), in the profile firebase \(ofFirebase)"
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
        // The value is valid if it can be set in a policy.
        var scratch = Policy(.sekisho)
        guard member.set(parts[1], in: &scratch) else {
            throw UsageError(message: "--set \(member.name): expected \(member.values), got \"\(parts[1])\"")
        }
        self.member = member
        value = parts[1]
    }
}
