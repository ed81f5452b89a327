internal import Encoding

/// The header fields of a message, as one folded text per field (RFC 5322 §2.2.3).
struct MessageFields {
    let lines: [String]

    /// - Returns: `nil` if an address or the message ID is not valid in a header.
    init?(_ message: Message) {
        let addresses = [message.from.address, message.to] + [message.replyTo].compactMap(\.self)
        guard addresses.allSatisfy(HeaderText.isAddress), HeaderText.isMessageIDLeft(message.id) else { return nil }
        var lines = ["From: \(Self.sender(message.from))", "To: \(message.to)"]
        if let replyTo = message.replyTo { lines.append("Reply-To: \(replyTo)") }
        lines += [
            "Subject: \(HeaderText.unstructured(message.subject, at: "Subject: ".utf8.count))",
            "Date: \(HeaderDate.email.text(secondsSince1970: message.date))",
            "Message-ID: <\(message.id)@\(message.from.domain)>",
            "Auto-Submitted: auto-generated",  // RFC 3834 §5
        ]
        self.lines = lines
    }

    /// The address is on a line of its own, because the name may fill the first line.
    private static func sender(_ mailbox: Mailbox) -> String {
        guard let name = mailbox.name, !name.isEmpty else { return mailbox.address }
        return "\(HeaderText.phrase(name, at: "From: ".utf8.count))\r\n <\(mailbox.address)>"
    }
}
