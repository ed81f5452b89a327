internal import Email
internal import EventLoop
internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import SMTP
internal import Storage

extension Command {
    static let testEmail = Command(
        words: ["mail", "test"],
        help: """
            mail test ADDRESS               send a message there and tell what the mail server says

            Reads SEKISHO_SMTP_URL, SEKISHO_SMTP_CA_FILE, SEKISHO_MAIL_FROM, and SEKISHO_PUBLIC_URL if it is set.
            Needs no database. Exit status 1 if the server does not take the message.
            """
    ) { words in
        let address = try Arguments(words, options: []).only("address")
        guard let recipient = EmailAddress(address) else {
            throw UsageError(message: "\(address) is no e-mail address")
        }
        var reader = SettingsReader.live()
        let config = reader.email()
        let publicURL = reader.text(Settings.publicURL)
        try reader.finish()
        guard let config else { throw Failure(message: "no mail is sent: SEKISHO_SMTP_URL is not set") }
        let message = Message.test(from: config.sender, to: recipient, at: WallClock.live.now())
        let relay = try SMTPClient(
            to: config.server, clientName: publicURL.flatMap { URL(string: $0)?.host } ?? "localhost",
            deadline: EmailConfig.deadline)
        defer { relay.stop() }
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        let verdict = try loop.waitFor { await relay.submit(message) }
        switch verdict {
        case .accepted: Terminal.writeLine("accepted by \(config.server)")
        case .transient(let error): throw Failure(message: "refused for now by \(config.server): \(error)")
        case .permanent(let error): throw Failure(message: "refused for good by \(config.server): \(error)")
        }
    }

    static let listEmails = Command(
        words: ["mail", "list"],
        help: """
            mail list                       show the letters that wait to be sent and those given up

            The thousand newest, without addresses. Letters that were sent are not kept.
            Reads DATABASE_URL.
            """
    ) { words in
        try Arguments(words, options: []).none()
        try Administration.run { administration in
            let emails = try await EmailListing(pool: administration.pool).emails(limit: 1000)
            Terminal.table(
                [["ID", "PROJECT", "KIND", "CREATED", "TRIES", "STATE", "FAILURE"]]
                    + emails.map {
                        [
                            $0.id.rawValue, $0.realm.rawValue, $0.kind, $0.createdAt.iso8601, "\($0.attempts)",
                            $0.givenUpAt.map { "given up \($0.iso8601)" } ?? "due \($0.dueAt.iso8601)",
                            $0.failure ?? "",
                        ]
                    })
        }
    }
}

extension Message {
    fileprivate static func test(from sender: EmailAddress, to recipient: EmailAddress, at now: Instant) -> Message {
        let text = "This is a test message of Sekisho. If you can read it, mail gets through."
        return Message(
            from: Mailbox(address: sender.rawValue, name: "Sekisho"), to: recipient.rawValue, subject: "Sekisho: test",
            date: now.seconds, id: UUID().uuidString.lowercased(), text: text + "\n", html: "<p>\(text)</p>\n")
    }
}
