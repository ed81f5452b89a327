internal import API
internal import Email
internal import Gateway
internal import HTTP
internal import Identity
internal import SMTP

extension [Endpoint] {
    /// Shows what would have been sent: server-rendered, without scripts.
    static func mailPages(_ mail: CapturedEmails, _ postman: EmailWorker?) -> [Endpoint] {
        [
            .extra("listMail", .get, "/emulator/mail") { _ in
                await postman?.deliverDue()
                return .page("Mail", list(mail.mails))
            },
            .extra("getMail", .get, "/emulator/mail/{letter}") { call in
                try .page("Mail", shown(mail.named(by: call)))
            },
            .extra("getMailAsHTML", .get, "/emulator/mail/{letter}/html") { call in
                try .mail(mail.named(by: call).message.html)
            },
        ]
    }

    private static func list(_ mails: [CapturedEmails.Captured]) -> String {
        guard !mails.isEmpty else { return "<p>No mail yet.</p>\n" }
        let rows = mails.reversed().map { mail in
            """
            <tr><td>\(mail.message.to.htmlEscaped)</td>
            <td><a href="/emulator/mail/\(mail.message.id.htmlEscaped)">\(mail.message.subject.htmlEscaped)</a></td>
            <td>\(mail.kind.rawValue.htmlEscaped)</td><td>\(mail.realm.rawValue.htmlEscaped)</td></tr>

            """
        }
        return "<table>\n<tr><th>To</th><th>Subject</th><th>Kind</th><th>Project</th></tr>\n\(rows.joined())</table>\n"
    }

    private static func shown(_ mail: CapturedEmails.Captured) -> String {
        let message = mail.message
        let fields = [("From", message.from.address), ("To", message.to), ("Subject", message.subject)]
        return """
            <p><a href="/emulator/mail">All mail</a></p>
            <dl>\(fields.map { "<dt>\($0)</dt><dd>\($1.htmlEscaped)</dd>" }.joined())</dl>
            <pre>\(message.text.htmlEscaped)</pre>
            <iframe sandbox title="The same as HTML" width="700" height="500"
            src="/emulator/mail/\(message.id.htmlEscaped)/html"></iframe>

            """
    }
}

extension CapturedEmails {
    fileprivate func named(by call: EndpointCall) throws -> Captured {
        guard let mail = call.parameters["letter"].flatMap(mail) else { throw RequestRefusal.notFound }
        return mail
    }
}

extension Response {
    fileprivate static func page(_ title: String, _ body: String) -> Response {
        html(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>\(title.htmlEscaped)</title></head>
            <body>
            <h1>\(title.htmlEscaped)</h1>
            \(body)</body>
            </html>

            """,
            policy: "default-src 'none'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    }

    /// A mail may style itself, and nothing else.
    fileprivate static func mail(_ html: String) -> Response {
        Self.html(
            html,
            policy: "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'self'")
    }

    private static func html(_ text: String, policy: String) -> Response {
        Response(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
            ], body: Array(text.utf8))
    }
}
