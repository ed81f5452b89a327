internal import Encoding

/// The header fields of a message, as one folded text per field (RFC 5322 §2.2.3).
struct MessageFields {
    let lines: [String]

    /// - Returns: `nil` if an address or the message ID is not valid in a header.
    init?(_ message: Message) {
        let addresses = [message.from.address, message.to] + [message.replyTo].compactMap(\.self)
        guard addresses.allSatisfy(HeaderText.isAddress), HeaderText.isIdentifier(message.id) else { return nil }
        var lines = ["From: \(Self.sender(message.from))", "To: \(message.to)"]
        if let replyTo = message.replyTo { lines.append("Reply-To: \(replyTo)") }
        lines += [
            "Subject: \(HeaderText.unstructured(message.subject, at: 9))",
            "Date: \(HeaderDate.email.text(secondsSince1970: message.date))",
            "Message-ID: <\(message.id)@\(message.from.domain)>",
            "Auto-Submitted: auto-generated",  // RFC 3834 §5
        ]
        self.lines = lines
    }

    private static func sender(_ mailbox: Mailbox) -> String {
        guard let name = mailbox.name, !name.isEmpty else { return mailbox.address }
        return "\(HeaderText.phrase(name, at: 6))\r\n <\(mailbox.address)>"
    }
}
