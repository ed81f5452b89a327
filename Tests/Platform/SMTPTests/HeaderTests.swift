import Testing

@testable import SMTP

@Suite("Message headers")
struct HeaderTests {
    static func message() -> Message {
        Message(
            from: Mailbox(address: "no-reply@example.com", name: "Demo"), to: "ada@example.org",
            subject: "Reset your password", date: 1_800_000_000, id: "0b0e7c1a-1111-4222-8333-444455556666", text: "a",
            html: "<p>a</p>")
    }

    /// The header fields of `message()` after `change`. A field may have several lines.
    static func lines(_ change: (inout Message) -> Void = { _ in }) throws -> [String] {
        var message = message()
        change(&message)
        return try #require(MessageFields(message)).lines
    }

    @Test("The header has sender, recipient, reply address, subject, date, message ID and Auto-Submitted")
    func fields() throws {
        #expect(
            try Self.lines { $0.replyTo = "help@example.com" } == [
                "From: \"Demo\"\r\n <no-reply@example.com>", "To: ada@example.org", "Reply-To: help@example.com",
                "Subject: Reset your password", "Date: Fri, 15 Jan 2027 08:00:00 +0000",
                "Message-ID: <0b0e7c1a-1111-4222-8333-444455556666@example.com>", "Auto-Submitted: auto-generated",
            ])
    }

    @Test("A sender without a display name is written as the address alone")
    func withoutName() throws {
        #expect(try Self.lines { $0.from.name = nil }.first == "From: no-reply@example.com")
    }

    @Test(
        "Any subject or name stays in its field, in printable ASCII lines of at most 76 characters",
        arguments: [
            "a\r\nBcc: eve@example.com", "a\nBcc: eve@example.com", "a\r\n\r\nbody", "a\rb", "a\u{0}b", "a\u{2028}b",
            "パスワードの再設定", "=?UTF-8?B?YQ==?=", String(repeating: "long ", count: 60),
            String(repeating: "再", count: 100), "👩‍👩‍👧‍👦" + String(repeating: "é", count: 90), "\"quoted\" \\ name",
        ])
    func injection(text: String) throws {
        for line in try Self.lines({ $0.subject = text }) + Self.lines({ $0.from.name = text }) {
            let folded = line.components(separatedBy: "\r\n")
            #expect(folded.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
            #expect(folded.dropFirst().allSatisfy { $0.hasPrefix(" ") })
        }
    }

    @Test(
        "A subject that is not ASCII, or looks encoded, is encoded in base64, and line breaks become spaces",
        arguments: [
            ("Passwort zurücksetzen", "Subject: =?UTF-8?B?UGFzc3dvcnQgenVyw7xja3NldHplbg==?="),
            ("=?x", "Subject: =?UTF-8?B?PT94?="), ("a\r\nb", "Subject: a  b"),
        ])
    func words(subject: String, line: String) throws {
        #expect(try Self.lines { $0.subject = subject }.contains(line))
    }

    @Test("A display name is quoted")
    func quoting() throws {
        #expect(
            try Self.lines { $0.from.name = #"A "B" \C"# }.first == #"From: "A \"B\" \\C""#
                + "\r\n <no-reply@example.com>")
    }

    @Test(
        "A message is rejected if an address or the message ID is not safe in a header",
        arguments: [
            "", "a", "a@b@c", "a@b\r\nBcc: eve@example.com", "a@b>", "<a@b", "a b@c", "a@b,c@d", "é@example.com",
            "a@" + String(repeating: "b", count: 254),
        ])
    func malformed(address: String) {
        for path in [\Message.to, \Message.from.address] {
            var message = Self.message()
            message[keyPath: path] = address
            #expect(MessageFields(message)?.lines == nil)
        }
        var message = Self.message()
        message.replyTo = address
        #expect(MessageFields(message)?.lines == nil)
        message = Self.message()
        message.id = address + "\r\n"
        #expect(MessageFields(message)?.lines == nil)
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
