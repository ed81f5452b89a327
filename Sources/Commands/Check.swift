internal import Gateway
internal import Identity
internal import Postgres
internal import Storage

extension Command {
    static let check = Command(
        words: ["check"],
        summary: "Check that `serve` can run with this environment and database",
        options: [
            .flag(
                "app-review",
                "instead, check whether each app satisfies App Review guidelines 4.8 (login services) and 5.1.1(v) (account deletion); reads only DATABASE_URL"
            ),
            .text("project", "ID", "with --app-review: check only this project", defaultNote: "all projects"),
            .flag("json", "with --app-review: print JSON"),
            .flag(
                "live",
                "if all other checks pass, also ask Apple whether it accepts the private key with each client ID of apple.com, check the documents that the hosts of RP IDs publish for passkeys, and connect to the senders of text messages"
            ),
        ],
        details: [
            "Reads the variables of `serve` and changes nothing. Exit status: 0 if every check passes, 1 if one fails, 2 if the environment is invalid.",
            "With --app-review, the command reports each requirement as `met`, `violated` or `open`. A requirement is `open` if the command cannot decide it, because the platform of the app is `other`, users have signed in with custom tokens, or the relation of an oidc.NAME is not set or has no effect (`sekisho projects apply --help` describes relations). Check an `open` requirement yourself. The exit status is 1 if a requirement is violated.",
        ]
    ) { arguments in
        if arguments.has("app-review") {
            guard !arguments.has("live") else {
                throw UsageError(message: "--live cannot be combined with --app-review")
            }
            return try AppReviewReport.run(
                arguments.optionalText("project").map { ID($0) }, asJSON: arguments.has("json"))
        }
        let isLive = arguments.has("live")
        guard !arguments.has("project"), !arguments.has("json") else {
            throw UsageError(message: "--project and --json require --app-review")
        }
        var reader = SettingsReader.live()
        let (config, publicURL) = try Config.read(from: &reader)
        Terminal.writeLine("ok    configuration")
        Terminal.writeLine(
            "ok    email: \(config.email.map { "sent through \($0.server)" } ?? "disabled (SEKISHO_SMTP_URL is not set)")"
        )
        try Administration.run(on: config.database) { administration in
            let budget = config.database.setsStartupOptions ? config.database.budget : nil
            var findings = await DatabaseCheck(
                pool: administration.pool, masterKeys: config.masterKeys, budget: budget
            ).findings(at: administration.clock.now())
            let passkeys = PasskeyHostCheck(pool: administration.pool, publicURL: publicURL)
            if findings.allSatisfy(\.isGood) { findings += try await passkeys.pageNotes() }
            if isLive, findings.allSatisfy(\.isGood) {
                findings += try await AppleKeyCheck(pool: administration.pool, masterKeys: config.masterKeys).findings()
                findings += try await passkeys.findings()
                findings += try await SMSSenderCheck(pool: administration.pool).findings()
            }
            for finding in findings {
                let mark = finding.isNote ? "note " : finding.isGood ? "ok   " : "wrong"
                Terminal.writeLine("\(mark) \(finding.text)")
            }
            guard findings.allSatisfy(\.isGood) else {
                throw Failure(message: "not ready: see the lines that begin with \"wrong\"")
            }
            guard try await administration.usesApple() else { return }
            Terminal.writeLine(
                "note  apple: register \(publicURL)/v1/apple/notifications at Apple, as the notification endpoint of each primary App ID"
            )
        }
    }
}

extension Administration {
    fileprivate func usesApple() async throws -> Bool {
        try await projects.projectRealms().contains { $0.settings(of: .apple) != nil }
    }
}
