internal import HTML
public import HTTP
public import Identity

/// An HTML page for end users. It loads no resources, and needs no script unless it passes the result of a sign-in to
/// an app, or offers passkeys.
public struct Page: Sendable {
    /// What all pages of one visit share: the language, and the name and brand of the project or app.
    public struct Context: Sendable {
        public let language: Language
        /// The name that users know: the brand's, otherwise the project's; `nil` if the request does not identify a
        /// project.
        public let projectName: String?
        public let brand: Brand
        /// The texts of the project, which replace built-in ones.
        public let customTexts: CustomTexts
        /// The colours of the brand; `nil` for those of the ``Stylesheet``.
        public let style: BrandStyle?
        /// The URL of the directory with the images of the brand, relative to the page. Without it, the page shows no
        /// images.
        public let imageDirectory: String?
        /// The ID of the request in the log, for a page that reports a failure.
        public let requestID: String?
        /// The query with which the browser gets the page again, to show it in another language; `nil` for a page that
        /// a browser cannot get twice.
        public var repeatingQuery: [(name: String, value: String)]?

        /// - Parameter projectName: the display name of the project, which the name of `brand` replaces.
        public init(
            language: Language, projectName: String?, brand: Brand = Brand(),
            customTexts: CustomTexts = CustomTexts(), style: BrandStyle? = nil, imageDirectory: String? = nil,
            requestID: String? = nil
        ) {
            self.language = language
            self.projectName = brand.name ?? projectName
            self.brand = brand
            self.customTexts = customTexts
            self.style = style
            self.imageDirectory = imageDirectory
            self.requestID = requestID
        }
    }

    let context: Context
    let title: Text
    var content: [Markup]
    /// The JSON that ``PageScript/delivery`` reads: the result or the error of a sign-in, and how the script passes it
    /// to the app. `nil` for a page without this script.
    var eventDelivery: String?
    /// Whether a form of the page is for ``PageScript/passkeys``.
    var usesPasskeys = false
    /// The URL that the page opens as soon as it is loaded; `nil` for a page that stays.
    var refresh: Destination?
    /// Whether the page is a step of the sign-in page.
    var isSignIn = false
    /// Whether the page has buttons of providers.
    var showsProviders = false
    /// The form of the page that the switch of the language uses; `nil` if the switch has its own.
    var languageForm: ElementID?
    /// Precedes the title of the window. If it is empty, the title of a page with a rejected form begins with "Error:
    /// ".
    var windowTitlePrefix = ""
    /// Whether the page explains that something did not work. Then its footer contains the ID of the request.
    var isFailure = false

    init(_ context: Context, _ title: Text, _ content: [Markup]) {
        self.context = context
        self.title = title
        self.content = content
    }

    public var html: String {
        let refresh = refresh.map { [Markup.void(.meta, Attribute.refresh(to: $0.url))] } ?? []
        return Markup.document(
            language: context.language.rawValue, isRightToLeft: context.language.isRightToLeft,
            head: [
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                .void(.meta, [.name("robots"), .content("noindex")]), Markup(.title, text: windowTitle), .stylesheet,
            ] + styles.map { .style($0.text) } + context.furtherStyles + icon + refresh,
            body: Markup(
                .body, eventDelivery.map { [.delivery($0)] } ?? [],
                [
                    skipLink,
                    Markup(.main, [.id(.content)], nameOrLogo + [Markup(.h1, context.words(title))] + content),
                ] + footer
                    + (eventDelivery == nil ? [] : [PageScript.delivery.markup])
                    + (usesPasskeys ? [PageScript.passkeys.markup] : [])))
    }

    /// Returns the response for a page without script. A page with ``eventDelivery`` needs ``flowResponse(status:)``,
    /// and one with ``usesPasskeys`` needs ``sessionResponse(status:formTargets:imageSources:)``.
    public func response(status: Int = 200) -> Response {
        Self.response(
            Array(html.utf8), language: context.language.rawValue, styles: styleHashes,
            images: context.imagePolicy, status: status)
    }

    /// Returns a response with `html`. No other page can embed it in a frame, and no cache stores it. Browsers do not
    /// send the URL of the page, which may contain a code, to other servers.
    ///
    /// - Parameters:
    ///   - styles: SHA-256 of each of the page's styles in base64.
    ///   - images: the directive for images of a Content-Security-Policy; empty for a page without images.
    public static func response(
        _ html: [UInt8], language: String, styles: [String], images: String = "", status: Int = 200
    ) -> Response {
        Response(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": securityPolicy(styles, images),
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
    private static func securityPolicy(_ styles: [String], _ images: String) -> String {
        """
        default-src 'none'; \(stylePolicy(styles))\(images)form-action 'self'; frame-ancestors 'none'; base-uri 'none'
        """
    }

    /// The directive of a Content-Security-Policy that allows only the styles with these hashes, with a space at its
    /// end.
    static func stylePolicy(_ hashes: [String]) -> String {
        "style-src \(hashes.map { "'sha256-\($0)'" }.joined(separator: " ")); "
    }
}

extension Page {
    /// The styles that only some kinds of pages have.
    fileprivate var styles: [(text: StaticString, sha256: String)] {
        (isSignIn ? [] : [(AccountStyle.text, AccountStyle.sha256)])
            + (showsProviders ? [(ProviderStyle.text, ProviderStyle.sha256)] : [])
    }

    /// SHA-256 in base64 of each style of the page, in their order.
    var styleHashes: [String] {
        [Stylesheet.sha256] + styles.map(\.sha256)
            + [LanguageStyle(context.language)?.sha256, context.style?.sha256].compactMap(\.self)
    }
}

extension Page.Context {
    /// The styles after the ``Stylesheet``.
    fileprivate var furtherStyles: [Markup] {
        [LanguageStyle(language)?.markup, style?.markup].compactMap(\.self)
    }

    func paragraph(_ text: Text) -> Markup { Markup(.p, words(text)) }

    /// A paragraph in small type.
    func note(_ text: Text) -> Markup { Markup(.p, [.classes(.note)], words(text)) }

    func list(_ items: [Text]) -> Markup { Markup(.ul, items.map { Markup(.li, words($0)) }) }

    func label(_ text: Text, for id: ElementID) -> Markup { Markup(.label, [.for(id)], words(text)) }

    /// A button that submits its form, which is what a button of HTML does.
    func button(_ label: Text, _ attributes: [Attribute] = []) -> Markup {
        Markup(.button, attributes, words(label))
    }

    func link(_ label: Text, to destination: Destination, isSecondary: Bool = false) -> Markup {
        let classes = isSecondary ? Attribute.classes(.button, .quiet) : .classes(.button)
        return Markup(.a, [classes, .href(destination)], words(label))
    }

    /// A list of names with their values.
    func details(_ details: [(name: Text, value: [Markup])]) -> Markup {
        Markup(.dl, [.classes(.details)], details.flatMap { [Markup(.dt, words($0.name)), Markup(.dd, $0.value)] })
    }

    /// An email address with its label.
    func details(of email: EmailAddress) -> Markup { details([(.page(.emailAddress), [.isolated(email.rawValue)])]) }

    /// The last element of a page that needs no further action: a link to `url`, or the advice to close the page if
    /// `url` is `nil`.
    func continueLinkOrAdvice(to url: ContinueURL?) -> [Markup] {
        guard let url else { return [paragraph(.page(.canClosePage))] }
        return [link(.page(.continueToApp), to: .app(url))]
    }
}

extension Text {
    static func retryAdvice(afterMinutes minutes: Int) -> Text { .page(.retryAfter, [.minutes: .count(minutes)]) }
}
