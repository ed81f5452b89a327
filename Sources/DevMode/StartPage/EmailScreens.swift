internal import Console
internal import Email
internal import Encoding
internal import Gateway
internal import HTML
internal import HTTP
internal import Identity
internal import SMTP

/// How the page of an email shows it.
enum EmailView: String, CaseIterable {
    case html, dark, narrow, text, headers

    var label: String {
        switch self {
        case .html: "HTML"
        case .dark: "Dark"
        case .narrow: "320 px"
        case .text: "Text"
        case .headers: "Headers"
        }
    }
}

extension StartPages {
    /// The captured emails of a project or tenant, newest first. Due emails are delivered first, because a user opens
    /// the page right after the app has requested an email.
    func deliveredEmails(in realm: RealmName) async -> [CapturedEmails.Captured] {
        await emailService?.worker.deliverDue()
        let project = ID<Project>(realm.project)
        let id = realm.tenant.map { ID<Realm>(ID<Tenant>($0), of: project) } ?? ID<Realm>(project)
        return emails.all.filter { $0.realm == id }.sorted { $1.createdAt < $0.createdAt }
    }

    func emailListScreen(_ context: ScreenContext) async throws -> Screen {
        let emails = await deliveredEmails(in: context.realm)
        return Screen(
            "Emails",
            [
                .section(
                    "Captured emails",
                    [
                        .paragraph(
                            "This gateway sends no emails. It keeps the last \(CapturedEmails.limit) in memory. The list has the newest 50."
                        ),
                        .markup(Self.emailList(emails.prefix(50), context.realm, now: context.now)),
                    ])
            ])
    }

    static func emailList(
        _ emails: some Collection<CapturedEmails.Captured>, _ realm: RealmName, now: Int64
    ) -> Markup {
        guard !emails.isEmpty else { return Markup(.p, text: "No emails yet.") }
        return Markup(
            .ul, [.classes(["rows"])],
            emails.map { email in
                Markup(
                    .li,
                    [
                        .link(path("/dev/emails/\(email.message.id)", realm), .isolated(email.message.subject)),
                        .isolated(email.message.to), .time(email.createdAt.milliseconds, now: now),
                    ])
            })
    }

    func emailScreen(_ id: String, _ context: ScreenContext) -> Screen {
        guard let email = emails.email(withID: id) else {
            return .notFound("There is no such email", "The gateway keeps emails in memory until it stops.")
        }
        let view = context.request.query("view").flatMap(EmailView.init) ?? .html
        return Screen(
            email.message.subject,
            [
                .markup(Self.links([("All emails", Self.path("/dev/emails", context.realm))])),
                .markup(
                    .details([
                        ("To", .isolated(email.message.to)), ("Kind", .text(email.kind.rawValue)),
                        ("Created", .time(email.createdAt.milliseconds, now: context.now)),
                    ])),
                .markup(Self.tabs(of: email, view, context.realm)),
                .markup(Self.content(of: email, view)),
                .section("Links", [.markup(Self.links(of: email))]),
            ])
    }

    private static func tabs(
        of email: CapturedEmails.Captured, _ current: EmailView, _ realm: RealmName
    ) -> Markup {
        let items = EmailView.allCases.map { view in
            let path = path("/dev/emails/\(email.message.id)", realm, [("view", view.rawValue)])
            return Markup(
                .li,
                [
                    Markup(
                        .a, [.href(URLReference(path))] + (view == current ? [.currentPage] : []), text: view.label)
                ])
        }
        return Markup(.nav, [.label("Views of the email")], [Markup(.ul, [.classes(["tabs"])], items)])
    }

    private static func content(of email: CapturedEmails.Captured, _ view: EmailView) -> Markup {
        switch view {
        case .html, .dark, .narrow:
            Markup(
                .iframe,
                [
                    .sandboxWithLinks, .title("The email as HTML"),
                    .classes(view == .html ? [] : [view.rawValue]),
                    .src(URLReference("/dev/emails/\(email.message.id)/html")),
                ], [])
        case .text:
            Markup(.pre, [.focusable, .role("group"), .label("The email as text")], text: email.message.text)
        case .headers:
            .details([
                ("From", .isolated(email.message.from.address)), ("To", .isolated(email.message.to)),
                ("Subject", .isolated(email.message.subject)), ("Message ID", .isolated(email.message.id)),
            ])
        }
    }

    private static func links(of email: CapturedEmails.Captured) -> Markup {
        guard !email.links.isEmpty else { return Markup(.p, text: "The email has no links.") }
        return Markup(
            .ul,
            email.links.map { link in
                Markup(.li, [Markup(.a, [.href(URLReference(link)), .opensNewTab], text: link)])
            })
    }

    /// Returns the HTML of an email, whose links open new tabs. The Content-Security-Policy allows its inline styles
    /// and its images, which are part of the document, and nothing else.
    func emailHTML(_ id: String) -> Response {
        guard let email = emails.email(withID: id) else { return .text(status: 404, "There is no such email.") }
        let html = email.message.inlineImages.reduce(email.message.html) { html, image in
            html.replacing(
                #" src="cid:\#(image.contentID)""#,
                with: #" src="data:\#(image.mediaType);base64,\#(Base64.encode(image.content))""#)
        }.replacing("<head>", with: "<head>" + Markup.void(.base, [.opensNewTab]).html, maxReplacements: 1)
        return Response(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups "
                    + "allow-popups-to-escape-sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
                "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
                "Cross-Origin-Resource-Policy": "same-origin",
            ], body: Array(html.utf8))
    }
}
