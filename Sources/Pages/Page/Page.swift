public import HTTP
public import Identity

/// A document for people, complete without scripts, pictures and strangers.
public struct Page: Sendable {
    /// What is the same on every page of a visit.
    public struct Frame: Sendable {
        public let language: Language
        /// As its operator calls it; `nil` where nothing tells which project it is.
        public let projectName: String?

        public init(language: Language, projectName: String?) {
            self.language = language
            self.projectName = projectName
        }
    }

    let frame: Frame
    let title: LocalizedString
    let content: [HTML]

    init(_ frame: Frame, _ title: LocalizedString, _ content: [HTML]) {
        self.frame = frame
        self.title = title
        self.content = content
    }

    public var html: String {
        let heading = title.in(frame.language)
        let windowTitle = frame.projectName.map { "\(heading) – \($0)" } ?? heading
        let head = HTML(
            .head,
            [
                .void(.meta, [.charset("utf-8")]),
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                .void(.meta, [.name("robots"), .content("noindex")]),
                HTML(.title, text: windowTitle), .stylesheet,
            ])
        let name = frame.projectName.map { [HTML(.p, [.classed(.project)], text: $0)] } ?? []
        let main = HTML(.main, name + [HTML(.h1, text: heading)] + content)
        return "<!DOCTYPE html>\n"
            + HTML(.html, [.lang(frame.language.rawValue)], [head, HTML(.body, [main])]).markup + "\n"
    }

    /// Framed by nobody, kept by nobody, and silent about its own address, which may hold a code.
    public func response(status: Int = 200) -> Response {
        Response(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": Self.securityPolicy,
                "Content-Language": frame.language.rawValue,
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cross-Origin-Resource-Policy": "same-origin",
                "X-Frame-Options": "DENY",
            ],
            body: Array(html.utf8))
    }

    private static let securityPolicy =
        "default-src 'none'; style-src 'sha256-\(Stylesheet.sha256)'; form-action 'self'; frame-ancestors 'none'; "
        + "base-uri 'none'"
}

extension Page.Frame {
    /// The name of the project, or words that stand for it.
    func app(in language: Language) -> String {
        projectName ?? LocalizedString("the app", "アプリ").in(language)
    }

    func paragraph(_ phrase: LocalizedString) -> HTML { HTML(.p, text: phrase.in(language)) }

    func hint(_ phrase: LocalizedString) -> HTML { HTML(.p, [.classed(.hint)], text: phrase.in(language)) }

    func button(_ phrase: LocalizedString, _ attributes: [Attribute] = []) -> HTML {
        HTML(.button, [.type("submit")] + attributes, text: phrase.in(language))
    }

    func link(_ phrase: LocalizedString, to destination: Destination, isSecond: Bool = false) -> HTML {
        let look: Attribute = isSecond ? .classed(.button, .quiet) : .classed(.button)
        return HTML(.a, [look, .href(destination)], text: phrase.in(language))
    }

    /// Back to the app, if it said where that is.
    ///
    /// - Parameter isSecond: something else is to be done first.
    func wayBack(to url: ContinueURL?, isSecond: Bool = false) -> [HTML] {
        url.map { [link(LocalizedString("Continue", "続ける"), to: .app($0), isSecond: isSecond)] } ?? []
    }

    /// What is spoken of, by name.
    func facts(_ facts: [(name: LocalizedString, value: HTML)]) -> HTML {
        HTML(.dl, [.classed(.facts)], facts.flatMap { [HTML(.dt, text: $0.name.in(language)), HTML(.dd, [$0.value])] })
    }
}

extension LocalizedString {
    static let address = LocalizedString("Email address", "メールアドレス")
}
