internal import HTML
public import HTTP
public import Identity

/// An HTML page for end users. It loads no resources, and needs no script unless it passes the result of a sign-in to
/// an app.
public struct Page: Sendable {
    /// What all pages of one visit share: the language, and the name and brand of the project or app.
    public struct Context: Sendable {
        public let language: Language
        /// The name that users know: the brand's, otherwise the project's; `nil` if the request does not identify a
        /// project.
        public let projectName: String?
        public let brand: Brand
        /// The ID of the request in the log, for a page that reports a failure.
        public let requestID: String?

        /// - Parameter projectName: the display name of the project, which the name of `brand` replaces.
        public init(language: Language, projectName: String?, brand: Brand = Brand(), requestID: String? = nil) {
            self.language = language
            self.projectName = brand.name ?? projectName
            self.brand = brand
            self.requestID = requestID
        }
    }

    let context: Context
    /// In the language of the page.
    let title: String
    var content: [Markup]
    /// The JSON that ``PageScript/delivery`` reads, the only script that a page can have: the result or the error of a
    /// sign-in, and how the script passes it to the app. `nil` for a page without script.
    var eventDelivery: String?
    /// The URL that the page opens as soon as it is loaded; `nil` for a page that stays.
    var refresh: Destination?
    /// Precedes the title of the window, for example "Error: "; empty for other pages.
    var windowTitlePrefix = ""
    /// Whether the page explains that something did not work. Then its footer contains the ID of the request.
    var isFailure = false

    init(_ context: Context, _ title: LocalizedString, _ content: [Markup]) {
        self.init(context, title: title.in(context.language), content)
    }

    init(_ context: Context, _ title: Text, _ content: [Markup]) {
        self.init(context, title: title.string(in: context.language), content)
    }

    private init(_ context: Context, title: String, _ content: [Markup]) {
        self.context = context
        self.title = title
        self.content = content
    }

    public var html: String {
        let windowTitle = context.projectName.map { "\(title) – \($0)" } ?? title
        let refresh = refresh.map { [Markup.void(.meta, Attribute.refresh(to: $0.url))] } ?? []
        let name = context.projectName.map { [Markup(.p, [.classes(.project)], text: $0)] } ?? []
        return Markup.document(
            language: context.language.rawValue, isRightToLeft: context.language.isRightToLeft,
            head: [
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                .void(.meta, [.name("robots"), .content("noindex")]), Markup(.title, text: windowTitlePrefix + windowTitle), .stylesheet,
            ] + refresh,
            body: Markup(
                .body, eventDelivery.map { [.delivery($0)] } ?? [],
                [Markup(.main, name + [Markup(.h1, text: title)] + content)] + footer
                    + (eventDelivery == nil ? [] : [PageScript.delivery.markup])))
    }

    /// Returns the response for a page without script. A page with ``eventDelivery`` needs ``flowResponse(status:)``.
    public func response(status: Int = 200) -> Response {
        Self.response(
            Array(html.utf8), language: context.language.rawValue, style: "sha256-\(Stylesheet.sha256)", status: status)
    }

    /// Returns a response with `html`. No other page can embed it in a frame, and no cache stores it. Browsers do not
    /// send the URL of the page, which may contain a code, to other servers.
    ///
    /// - Parameter style: the hash of the page's only style, as in a Content-Security-Policy.
    public static func response(_ html: [UInt8], language: String, style: String, status: Int = 200) -> Response {
        Response(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": securityPolicy(style),
                "Content-Language": language,
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cross-Origin-Resource-Policy": "same-origin",
                "X-Frame-Options": "DENY",
            ],
            body: html)
    }

    /// The Content-Security-Policy of a page without script. A page with ``eventDelivery`` gets its policy from
    /// ``flowResponse(status:)``.
    private static func securityPolicy(_ style: String) -> String {
        "default-src 'none'; style-src '\(style)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    }
}

extension Page.Context {
    /// The project's name, or "the app" in `language`.
    func app(in language: Language) -> String {
        projectName ?? LocalizedString("the app", "アプリ").in(language)
    }

    func paragraph(_ text: LocalizedString) -> Markup { Markup(.p, text: text.in(language)) }

    /// A paragraph in small type.
    func note(_ text: LocalizedString) -> Markup { Markup(.p, [.classes(.note)], text: text.in(language)) }

    func list(_ items: [LocalizedString]) -> Markup { Markup(.ul, items.map { Markup(.li, text: $0.in(language)) }) }

    func button(_ label: LocalizedString, _ attributes: [Attribute] = []) -> Markup {
        Markup(.button, [.type("submit")] + attributes, text: label.in(language))
    }

    func link(_ label: LocalizedString, to destination: Destination, isSecondary: Bool = false) -> Markup {
        let classes = isSecondary ? Attribute.classes(.button, .quiet) : .classes(.button)
        return Markup(.a, [classes, .href(destination)], text: label.in(language))
    }

    /// A list of names with their values.
    func details(_ details: [(name: LocalizedString, value: Markup)]) -> Markup {
        Markup(
            .dl, [.classes(.details)],
            details.flatMap { [Markup(.dt, text: $0.name.in(language)), Markup(.dd, [$0.value])] })
    }

    /// The last element of a page that needs no further action: a link to `url`, or the advice to close the page if
    /// `url` is `nil`.
    func continueLinkOrAdvice(to url: ContinueURL?) -> [Markup] {
        guard let url else {
            return [
                paragraph(
                    LocalizedString("You can close this page and go back to the app.", "このページを閉じて、アプリにお戻りください。"))
            ]
        }
        return [link(LocalizedString("Continue", "続ける"), to: .app(url))]
    }
}

extension LocalizedString {
    static let address = LocalizedString("Email address", "メールアドレス")
    static let signsOutEverywhere = LocalizedString("You are signed out on every device.", "すべての端末からログアウトします。")
    static let tooManyAttempts = LocalizedString("Too many attempts", "試行回数の上限に達しました")

    static func retryAdvice(afterMinutes minutes: Int) -> LocalizedString {
        LocalizedString(
            minutes == 1 ? "Wait one minute, then try again." : "Wait \(minutes) minutes, then try again.",
            "\(minutes)分ほど待ってから、もう一度お試しください。")
    }
}
