internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let deleteProject = Command(
        words: ["projects", "delete"],
        summary: "Delete a project with its tenants, apps, keys and accounts",
        operand: .projectID,
        options: [.yes],
        details: [
            "API keys, service keys and signing keys stop working within seconds. A running `sekisho serve` deletes the accounts in the background, and revokes their tokens of Apple, as it does after the deletion of a single account. Until the last token is revoked, the metric sekisho_apple_grants{state=\"revoking\"} is above 0, and the private key for Apple is kept.",
            "The audit trail can be read until its events expire (`auditRetention` of the policy). Until then, no other project can have the ID.",
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try ID<Project>(projectNamed: arguments.operand)
        try arguments.requireConfirmation("Delete the project \(id) with all its accounts?")
        try Administration.run { administration in
            let store = administration.projects
            guard try await store.delete(id, by: .commandLine, at: administration.clock.now()) else {
                throw Failure(message: "project \(id) does not exist")
            }
            Terminal.writeLine("deleted project \(id)")
            let accounts = try await store.remainingAccounts(of: id)
            guard accounts > 0 else { return }
            Terminal.writeLine(
                "a running `sekisho serve` now deletes its \(accounts) accounts, and revokes their tokens of Apple")
        }
    }
}
