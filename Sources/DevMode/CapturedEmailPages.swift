internal import API
internal import Email
internal import Gateway
internal import HTML
internal import HTTP
internal import Identity
internal import SMTP

extension [Endpoint] {
    /// Pages that show the captured emails, which `dev` stores in memory instead of sending them.
    static func emailPages(_ emails: CapturedEmails, _ worker: EmailWorker?) -> [Endpoint] {
        [
            .outsideContract("listEmails", .get, "/emulator/emails") { _ in
                await worker?.deliverDue()
                return .page("Emails", list(emails.all))
            },
            .outsideContract("getEmail", .get, "/emulator/emails/{email}") { call in
                try .page("Email", details(of: emails.email(inPathOf: call)))
            },
            .outsideContract("getEmailAsHTML", .get, "/emulator/emails/{email}/html") { call in
                try .email(emails.email(inPathOf: call).message.html)
            },
        ]
    }

    private static func list(_ emails: [CapturedEmails.Captured]) -> [Markup] {
        guard !emails.isEmpty else { return [Markup(.p, text: "No emails yet.")] }
        let header = ["To", "Subject", "Kind", "Project"].map { Markup(.th, text: $0) }
        let rows = emails.reversed().map { email in
            Markup(
                .tr,
                [
                    Markup(.td, text: email.message.to),
                    Markup(.td, [Markup(.a, [.href(path(of: email))], text: email.message.subject)]),
                    Markup(.td, text: email.kind.rawValue), Markup(.td, text: email.realm.rawValue),
                ])
        }
        return [Markup(.table, ([Markup(.tr, header)] + rows).flatMap { [$0, .newline] })]
    }

    private static func details(of email: CapturedEmails.Captured) -> [Markup] {
        let message = email.message
        let fields = [("From", message.from.address), ("To", message.to), ("Subject", message.subject)]
        return [
            Markup(.p, [Markup(.a, [.href(URLReference("/emulator/emails"))], text: "All emails")]),
            Markup(.dl, fields.flatMap { [Markup(.dt, text: $0), Markup(.dd, text: $1)] }),
            Markup(.pre, text: message.text),
            Markup(
                .iframe,
                [
                    .sandboxWithLinks, .title("The email as HTML"), .width(700), .height(500),
                    .src(path(of: email, "/html")),
                ], []),
        ]
    }

    private static func path(of email: CapturedEmails.Captured, _ suffix: String = "") -> URLReference {
        URLReference("/emulator/emails/\(email.message.id)\(suffix)")
    }
}

extension CapturedEmails {
    /// Returns the email whose ID is in the path of the request.
    fileprivate func email(inPathOf call: EndpointCall) throws -> Captured {
        guard let email = call.parameters["email"].flatMap(email(withID:)) else { throw RequestRefusal.notFound }
        return email
    }
}

extension Response {
    /// Returns a page that can show an email of the gateway in a frame.
    fileprivate static func page(_ title: String, _ content: [Markup]) -> Response {
        html(
            Markup.document(
                language: "en", head: [Markup(.title, text: title)],
                body: Markup(.body, ([Markup(.h1, text: title)] + content).flatMap { [$0, .newline] })),
            policy: "default-src 'none'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    }

    /// Returns the HTML of an email, whose links open new tabs. The Content-Security-Policy allows its inline styles and
    /// nothing else.
    fileprivate static func email(_ html: String) -> Response {
        Self.html(
            html.replacing("<head>", with: "<head>" + Markup.void(.base, [.opensNewTab]).html, maxReplacements: 1),
            policy: "default-src 'none'; style-src 'unsafe-inline'; "
                + "sandbox allow-popups allow-popups-to-escape-sandbox; base-uri 'none'; form-action 'none'; "
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
