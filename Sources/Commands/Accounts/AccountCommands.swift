internal import Gateway
internal import Identity
internal import JSON

extension Command {
    static let listUsers = Command(
        words: ["users", "list"],
        summary: "List the accounts of a project, in the order of their IDs",
        options: [
            .project, .tenant, .text("after", "ID", "begin after the account with this ID"),
            .number("limit", "N", in: 1...1000, "maximum number of accounts", default: "50"), .json,
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (id, limit) = (try arguments.realm(), try arguments.number("limit"))
        let after = arguments.optionalText("after").map { ID<Account>($0) }
        try Administration.run { administration in
            let realm = try await administration.requireRealm(id)
            let accounts = try await administration.accounts.page(after: after, limit: limit, in: realm)
                .map(AccountResource.init)
            if arguments.has("json") { return try Terminal.writeJSON(accounts) }
            Terminal.writeTable(
                [["ID", "EMAIL", "NAME", "DISABLED", "SIGN-IN METHODS", "LAST SIGN-IN"]]
                    + accounts.map { account in
                        [
                            account.localId, account.email ?? "", account.displayName ?? "",
                            account.disabled ? "yes" : "no", account.signInMethods.joined(separator: ", "),
                            account.lastSignInAt ?? "",
                        ]
                    })
            if accounts.count == limit, let last = accounts.last {
                let id = last.localId.escapingControls
                Terminal.writeError("there may be more accounts: continue with --after \(id)")
            }
        }
    }

    static let getUser = Command(
        words: ["users", "get"],
        summary: "Show an account",
        operand: .user,
        options: [.project, .tenant, .json],
        details: [userDetail],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try Administration.runOnAccount(arguments) { administration, account, _ in
            let resource = AccountResource(account)
            if arguments.has("json") { return try Terminal.writeJSON(resource) }
            Terminal.writeTable(resource.rows)
        }
    }

    static let disableUser = update(
        "disable", summary: "Disable an account, so that the user can neither sign in nor use existing sessions",
        done: "disabled"
    ) { change, _ in change.update.isDisabled = true }

    static let enableUser = update(
        "enable", summary: "Enable a disabled account and end its earlier sessions", done: "enabled"
    ) { change, _ in change.update.isDisabled = false }

    static let signOutUser = update(
        "sign-out", summary: "End all sessions of an account", done: "signed out"
    ) { change, now in change.update.validSince = now }

    static let resetFactors = Command(
        words: ["users", "reset-factors"],
        summary: "Remove the second factors and recovery codes of an account",
        operand: .user,
        options: [.project, .tenant],
        details: [
            "Sessions continue, but no longer count as sessions with a second factor. The user gets an email if SEKISHO_SMTP_URL is set; a running gateway sends it.",
            userDetail,
        ],
        environment: [
            "DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_SMTP_URL (optional)",
            "SEKISHO_EMAIL_FROM (required with SEKISHO_SMTP_URL)", "SEKISHO_SMTP_CA_FILE (optional)",
        ]
    ) { arguments in
        let id = try arguments.realm()
        try Administration.runAnnouncing { administration, accounts in
            let realm = try await administration.requireRealm(id)
            let account = try await accounts.requireAccount(arguments.operand, in: realm)
            var input = AccountAdministration.Input()
            input.change.keptFactors = []
            _ = try await accounts.update(account.id, input, in: realm, from: .commandLine, by: .commandLine)
            Terminal.writeLine("removed the second factors of \(account.id)")
        }
    }

    static let setPassword = Command(
        words: ["users", "set-password"],
        summary: "Set the password of an account, which ends its sessions",
        operand: .user,
        options: [.project, .tenant],
        details: [
            "The password is read from standard input; a newline at its end is removed. It must satisfy the password policy of the project.",
            userDetail,
        ],
        environment: [
            "DATABASE_URL", "SEKISHO_PASSWORD_MEMORY_KIB", "SEKISHO_PASSWORD_ITERATIONS",
            "SEKISHO_BREACHED_PASSWORDS_URL",
        ]
    ) { arguments in
        let id = try arguments.realm()
        let password = try Terminal.readInput(limit: 4096).withoutFinalNewline
        guard !password.isEmpty else { throw UsageError(message: "expected a password on standard input, got none") }
        try Administration.runSettingPasswords { administration, accounts in
            let realm = try await administration.requireRealm(id)
            let account = try await accounts.requireAccount(arguments.operand, in: realm)
            var input = AccountAdministration.Input()
            input.password = Secret(password)
            _ = try await accounts.update(account.id, input, in: realm, from: .commandLine, by: .commandLine)
            Terminal.writeLine("set the password of \(account.id)")
        }
    }

    static let deleteUser = Command(
        words: ["users", "delete"],
        summary: "Delete an account",
        operand: .user,
        options: [.project, .tenant, .yes],
        details: [
            "The gateway then revokes the account's tokens of Apple, as it does after a deletion by the user or by the admin API.",
            userDetail,
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try arguments.requireConfirmation("Delete the account \(arguments.operand)?")
        try Administration.runOnAccount(arguments) { administration, account, realm in
            try await administration.accounts.delete(account.id, in: realm, by: .commandLine)
            Terminal.writeLine("deleted \(account.id)")
        }
    }

    /// Returns a command that changes one member of an account.
    private static func update(
        _ word: String, summary: String, done: String,
        _ change: @escaping @Sendable (inout AdministrativeChange, Instant) -> Void
    ) -> Command {
        Command(
            words: ["users", word], summary: summary, operand: .user, options: [.project, .tenant],
            details: [userDetail], environment: ["DATABASE_URL"]
        ) { arguments in
            try Administration.runOnAccount(arguments) { administration, account, realm in
                var input = AccountAdministration.Input()
                change(&input.change, administration.clock.now())
                _ = try await administration.accounts.update(
                    account.id, input, in: realm, from: .commandLine, by: .commandLine)
                Terminal.writeLine("\(done) \(account.id)")
            }
        }
    }

    static let userDetail = "USER is the ID, the email address or the phone number of the account."
}

extension Operand {
    static let user = Operand(placeholder: "USER", noun: "user")
}

extension RequestContext {
    /// The context of changes that no request caused.
    static let commandLine = RequestContext(
        network: ClientNetwork(prefixes: ["cli"], knownNetworkPrefix: nil), device: nil, language: nil, trace: .none)
}

extension Administration {
    /// Runs `body` with the account that the operand names, in the realm of `--project` and `--tenant`.
    static func runOnAccount(
        _ arguments: Arguments, _ body: @escaping @Sendable (Administration, Account, Realm) async throws -> Void
    ) throws {
        let id = try arguments.realm()
        try run { administration in
            let realm = try await administration.requireRealm(id)
            let account = try await administration.accounts.requireAccount(arguments.operand, in: realm)
            try await body(administration, account, realm)
        }
    }
}

extension AccountAdministration {
    /// - Parameter text: an ID, an email address or a phone number.
    /// - Throws: ``Failure`` unless exactly one account has it.
    func requireAccount(_ text: String, in realm: Realm) async throws -> Account {
        let contacts: [AccountReference?] = [
            EmailAddress(text).map { .email($0) }, PhoneNumber(text).map { .phoneNumber($0) },
        ]
        let found = try await find([.id(ID(text))] + contacts.compactMap(\.self), in: realm)
        guard let account = found.first else {
            throw Failure(
                message: "\(realm.tenant == nil ? "project" : "tenant") \(realm.id) has no user \(text)")
        }
        guard found.count == 1 else {
            throw Failure(
                message: "\(text) is the ID of one account and an address of another: give the other account's ID")
        }
        return account
    }
}
