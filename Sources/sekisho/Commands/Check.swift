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
            """
    ) { words in
        try Arguments(words, options: []).none()
        var reader = SettingsReader.live()
        let config = try Config(reader: &reader)
        Terminal.say("ok    configuration")
        Terminal.say(
            "ok    mail: \(config.mail.map { "sent through \($0.server)" } ?? "none is sent, for want of SEKISHO_SMTP_URL")"
        )
        try Administration.run(on: config.database) { administration in
            let findings = await DatabaseCheck(pool: administration.pool, masterKeys: config.masterKeys)
                .findings(at: administration.clock.now())
            for finding in findings { Terminal.say("\(finding.isGood ? "ok   " : "wrong") \(finding.text)") }
            guard findings.allSatisfy(\.isGood) else { throw Failure(message: "not ready") }
        }
    }
}
