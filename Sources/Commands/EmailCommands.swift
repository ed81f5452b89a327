internal import Email
internal import EventLoop
internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import SMTP
internal import Storage

extension Command {
    static let testEmail = Command(
        words: ["email", "test"],
        summary: "Send a test email and print whether the SMTP server accepts it",
        operand: Operand(placeholder: "ADDRESS", noun: "email address"),
        details: ["Needs no database. The exit status is 1 if the server does not accept the message."],
        environment: [
            "SEKISHO_SMTP_URL", "SEKISHO_EMAIL_FROM", "SEKISHO_SMTP_CA_FILE (optional)",
            "SEKISHO_PUBLIC_URL (optional)",
        ]
    ) { arguments in
        guard let recipient = EmailAddress(arguments.operand) else {
            throw UsageError(message: "expected an email address, got \"\(arguments.operand)\"")
        }
        var reader = SettingsReader.live()
        let config = reader.email()
        let publicURL = reader.text(Settings.publicURL)
        try reader.requireNoProblems()
        guard let config else { throw Failure(message: "email is disabled: SEKISHO_SMTP_URL is not set") }
        let message = Message.test(from: config.sender, to: recipient, at: WallClock.live.now())
        let client = try SMTPClient(
            to: config.server, clientName: publicURL.flatMap { URL(string: $0)?.host } ?? "localhost",
            deadline: EmailConfig.deliveryTimeout)
        defer { client.stop() }
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        let result = try loop.waitFor { await client.submit(message) }
        switch result {
        case .accepted: Terminal.writeLine("accepted by \(config.server)")
        case .transient(let error):
            throw Failure(message: "not accepted by \(config.server), temporary error: \(error)")
        case .permanent(let error):
            throw Failure(message: "permanently rejected by \(config.server): \(error)")
        }
    }

    static let listEmails = Command(
        words: ["email", "list"],
        summary: "List the emails that wait to be sent, and those whose delivery was given up",
        options: [.json],
        details: [
            "Lists at most the newest 1000 of these emails, in the order of their creation, without addresses. For an email of a tenant, the column PROJECT contains PROJECT/TENANT."
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try Administration.run { administration in
            let emails = try await EmailListing(pool: administration.pool).emails(limit: 1000)
            try Terminal.writeList(
                [["ID", "PROJECT", "KIND", "CREATED", "TRIES", "STATE", "FAILURE"]]
                    + emails.map {
                        [
                            $0.id.rawValue, $0.realm.rawValue, $0.kind, $0.createdAt.iso8601, "\($0.attempts)",
                            $0.givenUpAt.map { "given up \($0.iso8601)" } ?? "due \($0.dueAt.iso8601)",
                            $0.failure ?? "",
                        ]
                    }, arguments)
        }
    }
}

extension Message {
    fileprivate static func test(from sender: EmailAddress, to recipient: EmailAddress, at now: Instant) -> Message {
        let text = "This is a test email from Sekisho. If you can read it, email delivery works."
        return Message(
            from: Mailbox(address: sender.rawValue, name: "Sekisho"), to: recipient.rawValue, subject: "Sekisho: test",
            date: now.seconds, id: UUID().uuidString.lowercased(), text: text + "\n", html: "<p>\(text)</p>\n")
    }
}
