package import HTML

/// The content of a page of the console or the start page.
package struct Screen: Sendable {
    package var title: String
    package var blocks: [ScreenBlock]
    package var status = 200
    /// A script of the page; `nil` for a page without script.
    package var script: ScreenScript?
    /// Whether the page shows images of the gateway.
    package var hasImages = false
    /// Why the submitted form was rejected.
    var problem: FormProblem?
    /// The ID of the form that the person wanted to send before the confirmation.
    var waitingForm: String?

    package init(_ title: String, status: Int = 200, _ blocks: [ScreenBlock]) {
        self.title = title
        self.status = status
        self.blocks = blocks
    }

    /// A page for something that does not exist.
    package static func notFound(_ title: String, _ advice: String) -> Screen {
        Screen(title, status: 404, [.paragraph(advice)])
    }

    /// The title for the element `title`, which cannot contain other elements. Between U+2068 and U+2069, the direction
    /// of a person's text does not change the order of the texts around it.
    var isolatedTitle: String { title.utf8.allSatisfy { $0 < 0x80 } ? title : "\u{2068}\(title)\u{2069}" }

    /// The forms of the screen, also inside of other blocks.
    package var forms: [Form] { blocks.flatMap(\.forms) }
}

/// A part of a ``Screen``.
package indirect enum ScreenBlock: Sendable {
    case markup(Markup)
    case form(Form)
    /// Blocks under a heading.
    case section(String, [ScreenBlock])
    /// Blocks that are shown on request, under a summary.
    case details(String, [ScreenBlock])
    /// Sections beside each other, if the window is wide enough.
    case columns([ScreenBlock])

    package static func problem(_ problem: Problem) -> ScreenBlock { .markup(problem.markup()) }

    package static func paragraph(_ text: String) -> ScreenBlock { .markup(Markup(.p, text: text)) }

    var forms: [Form] {
        switch self {
        case .markup: []
        case .form(let form): [form]
        case .section(_, let blocks), .details(_, let blocks), .columns(let blocks): blocks.flatMap(\.forms)
        }
    }
}

/// A script of a page, which the Content-Security-Policy allows by its hash (CSP 3 §6.7.3.3).
package struct ScreenScript: Sendable {
    let text: StaticString
    /// SHA-256 of ``text`` in base64.
    let sha256: String
    /// Whether the script sends requests to the gateway.
    let sendsRequests: Bool

    package init(_ text: StaticString, sha256: String, sendsRequests: Bool) {
        self.text = text
        self.sha256 = sha256
        self.sendsRequests = sendsRequests
    }
}
