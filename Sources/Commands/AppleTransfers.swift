internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let exportTransfers = Command(
        words: ["apple", "export-transfers"],
        summary:
            "Fetch Apple's transfer identifiers (`transfer_sub`) of all users into the database, for moving an app to another team",
        options: [
            .project, .tenant, .text("to-team", "ID", "ID of the new team", isRequired: true),
        ] + TransferArguments.options,
        details: [
            "Each identity of apple.com gets a transfer identifier, by which the new team finds the user. Run the command with the key of the old team, before the transfer or in the 60 days after it. Identities that already have a transfer identifier for the new team are skipped, so an interrupted command can be run again.",
            TransferArguments.keyNote,
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let team = try TransferArguments.teamOrKeyID(try arguments.text("to-team"), option: "to-team")
        try TransferArguments.run(arguments) { run in
            let report = TransferReport(verb: "exported")
            try report.finish(try await run.export(to: team, report.show))
        }
    }

    static let importTransfers = Command(
        words: ["apple", "import-transfers"],
        summary: "Replace the Apple subjects and relay addresses of all users, after an app moved to another team",
        options: [
            .project, .tenant,
            .flag("retry-rejected", "also request the new subjects of identities that Apple rejected in earlier runs"),
        ] + TransferArguments.options,
        details: [
            "Each exported identity gets its new subject and relay address in a transaction of its own; the account keeps its ID and its sessions. Configure the new team's ID, key ID and private key first (`sekisho projects apply`), and run the command in the 60 days after the transfer. Identities that are already imported are skipped, so an interrupted command can be run again. If a user signs in before the import, the gateway finds the account by the token's transfer_sub, and moves the identity.",
            "Apple may reject the request for an identity's new subject, usually because the user has disconnected the app. At the end of the run, the command sends a second request for the identity under two conditions: at least one identity has been imported so far (by this run, an earlier one or a sign-in), and --client-id, if given, is the client ID of the user's latest sign-in. Otherwise, a wrong option or setting may have caused the rejection: the command does not record it, and the next run requests the identity again.",
            "If Apple rejects the second request too, the command records the rejection and lists the account. Later runs list the account too, but request the identity only with --retry-rejected.",
            TransferArguments.keyNote,
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let retriesRejected = arguments.has("retry-rejected")
        try TransferArguments.run(arguments) { run in
            let report = TransferReport(verb: "imported")
            try report.finish(try await run.import(retryingRejected: retriesRejected, report.show))
        }
    }
}

/// The options of both commands, and the run that both start.
enum TransferArguments {
    static let options: [Option] = [
        .text(
            "client-id", "ID", "client ID with which the requests to Apple are authenticated",
            defaultNote:
                "for each user, the client ID of the latest sign-in, or the first client ID of apple.com if that is unknown"
        ),
        .text("team-id", "ID", "team ID instead of the configured one; requires --key-id and --private-key-file"),
        .text("key-id", "ID", "key ID instead of the configured one"),
        .text("private-key-file", "PATH", "file with the private key (.p8) of --key-id"),
        .text("simulator", "URL", "URL of a simulated Apple on this machine, for a database of `sekisho dev`"),
    ]

    static let keyNote =
        "The requests to Apple are authenticated with the configured key of apple.com, unless --team-id, --key-id and --private-key-file are given."

    static func run(
        _ arguments: Arguments, _ body: @escaping @Sendable (AppleTransferRun) async throws -> Void
    ) throws {
        let realm = try arguments.realm()
        let keyOverride = try keyOverride(arguments)
        let clientID = arguments.optionalText("client-id")
        let simulator = try arguments.optionalText("simulator").map(loopbackURL)
        // The command may be interrupted at any moment, because the next run skips the identities that are stored.
        Signals.unblock()
        try Administration.runWithKeys(for: simulator == nil ? .serve : .dev) { administration, masterKeys in
            try await administration.withTransferRun(
                in: realm, with: keyOverride, clientID: clientID, at: simulator, under: masterKeys, body)
        }
    }

    static func teamOrKeyID(_ text: String, option: String) throws(UsageError) -> String {
        guard AppleSettings.isID(text) else {
            throw UsageError(message: "--\(option): expected ten upper-case letters or digits, got \"\(text)\"")
        }
        return text
    }

    private static func keyOverride(_ arguments: Arguments) throws -> Administration.AppleKeyOverride? {
        let names = ["team-id", "key-id", "private-key-file"]
        guard names.contains(where: arguments.has) else { return nil }
        guard names.allSatisfy(arguments.has) else {
            throw UsageError(
                message: "--team-id, --key-id and --private-key-file must be given together")
        }
        let pem = try arguments.file("private-key-file", InputFile.text(of:)) ?? ""
        return Administration.AppleKeyOverride(
            name: AppleKeyName(
                teamID: try teamOrKeyID(try arguments.text("team-id"), option: "team-id"),
                keyID: try teamOrKeyID(try arguments.text("key-id"), option: "key-id")),
            privateKey: Secret(pem))
    }

    /// Accepts only a URL on this machine, because the command sends client secrets and subjects to it.
    static func loopbackURL(_ text: String) throws(UsageError) -> String {
        guard text.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]{1,5}/) != nil else {
            throw UsageError(message: "--simulator: expected http://127.0.0.1:PORT, got \"\(text)\"")
        }
        return text
    }
}

/// Reports the progress and the result of a transfer.
private struct TransferReport: Sendable {
    let verb: String
    private let progressLine = ProgressLine(itemsPerLine: 1000)

    init(verb: String) {
        self.verb = verb
    }

    func show(_ progress: AppleTransferRun.Progress) {
        progressLine.show("\(verb) \(progress.done) of \(progress.all)", after: progress.done)
    }

    /// Writes the result. Reports the identities that Apple rejected, but does not throw because of them.
    ///
    /// - Throws: ``Failure`` if the new subject of an identity belongs to another account.
    func finish(_ progress: AppleTransferRun.Progress) throws {
        progressLine.clear()
        Terminal.writeLine(
            "\(verb) \(progress.done) of \(progress.all) \(progress.all == 1 ? "identity" : "identities")")
        if progress.rejectedInThisRun > 0 {
            Terminal.writeError(
                "identities that Apple rejected: \(progress.rejectedInThisRun). Usually their users have disconnected the app."
            )
        }
        for rejected in progress.recordedRejections {
            Terminal.writeError(
                "account \(rejected.account): Apple rejects its identity (\(rejected.error)); to try again, add --retry-rejected"
            )
        }
        for account in progress.conflicts {
            Terminal.writeError(
                "account \(account): the new subject of its Apple identity belongs to another account, which the user created after the transfer; merge the two accounts"
            )
        }
        if !progress.conflicts.isEmpty {
            throw Failure(message: "conflicting identities that were not \(verb): \(progress.conflicts.count)")
        }
    }
}
