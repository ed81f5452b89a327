internal import Gateway
internal import Identity
internal import Postgres
internal import Storage

extension Command {
    static let check = Command(
        words: ["check"],
        help: """
            check                           tell whether `serve` would work here

            Reads what `serve` reads and changes nothing. Exit status 0 if all is well, 1 if not, 2 if the
            environment is wrong.

              --app-review   tells instead how each app stands with App Review guidelines 4.8 (login services) and
                             5.1.1(v) (account deletion); 1 if one is broken. Reads DATABASE_URL alone.
              --project ID   with --app-review: of this project alone
              --json         with --app-review: as JSON
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project"], switches: ["app-review", "json"])
        try arguments.none()
        if arguments.has("app-review") {
            return try AppReviewReport.run(arguments.value("project").map { ID($0) }, asJSON: arguments.has("json"))
        }
        guard !arguments.has("project"), !arguments.has("json") else {
            throw UsageError(message: "--project and --json go with --app-review")
        }
        var reader = SettingsReader.live()
        let config = try Config(reader: &reader)
        Terminal.writeLine("ok    configuration")
        Terminal.writeLine(
            "ok    mail: \(config.email.map { "sent through \($0.server)" } ?? "none is sent, for want of SEKISHO_SMTP_URL")"
        )
        try Administration.run(on: config.database) { administration in
            let findings = await DatabaseCheck(pool: administration.pool, masterKeys: config.masterKeys)
                .findings(at: administration.clock.now())
            for finding in findings { Terminal.writeLine("\(finding.isGood ? "ok   " : "wrong") \(finding.text)") }
            guard findings.allSatisfy(\.isGood) else { throw Failure(message: "not ready") }
        }
    }
}
