internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The response of an operation that returns a page. Pages of other origins cannot read the response.
struct PageResponse {
    var response: Response
    /// The realm (a project or a tenant) for the log.
    let realm: ID<Realm>?
    /// The error code for the log. The page shows a text instead.
    let refusalCode: String?
    /// For the log: why a provider is unavailable.
    var fault: (any Error)?

    /// - Parameter refusal: the reason why the response is not the requested page.
    init(_ response: Response, of realm: ID<Realm>? = nil, because refusal: (any Refusal)? = nil) {
        self.response = response
        self.realm = realm
        refusalCode = refusal?.loggedCode
    }

    init(_ page: Page, of realm: ID<Realm>? = nil) {
        self.init(page.response(), of: realm)
    }

    init(_ page: Page, of realm: ID<Realm>?, status: Int = 400, because refusal: any Refusal) {
        self.init(page.response(status: status), of: realm, because: refusal)
    }
}

extension EndpointCall {
    /// The language tag of the query: `hl`, or `language` if the button `change` was pressed. A switch that shares its
    /// form with other buttons has the second pair.
    private var tagOfQuery: String? {
        request.query("hl") ?? (request.query("change") == nil ? nil : request.query("language"))
    }

    /// Returns the first supported language of these: that of the query, `tag`, the one that the user chose
    /// before in this browser, that of the account, the browser's, the project's, and English.
    ///
    /// - Parameters:
    ///   - tag: the language tag in the link or in the form of the page. It may name a pseudo-locale
    ///     if ``ModeRules/pseudoLocales`` contains it.
    ///   - account: the account of the signed-in user; `nil` for a page without one.
    func language(tag: String?, in realm: Realm?, of account: Account? = nil) -> Language {
        let pseudoLocales = realm?.project.modeRules.pseudoLocales ?? []
        let requested = [tagOfQuery, tag, languageCookie.value(in: request)].lazy.compactMap { tag in
            tag.flatMap { Language(tag: $0, acceptingPseudoLocales: pseudoLocales) }
        }
        return requested.first ?? account?.language ?? context.language ?? realm?.project.emailSettings.language
            ?? .english
    }

    /// Stores the language of the query in the browser, for the next pages.
    func storeLanguage(in response: inout Response) {
        guard let tag = tagOfQuery,
            let language = Language(tag: tag, acceptingPseudoLocales: Language.pseudoLocales),
            response.headers["Cache-Control"] == "no-store"
        else { return }
        let year = Duration.seconds(365 * 86_400)
        response.headers.add("Set-Cookie", languageCookie.header(language.rawValue, maxAge: year))
    }

    /// Stores the language that an app has requested for a flow in the browser.
    func storeLanguage(_ language: Language, in response: inout Response) {
        guard tagOfQuery == nil else { return }
        response.headers.add(
            "Set-Cookie", languageCookie.header(language.rawValue, maxAge: .seconds(365 * 86_400)))
    }

    /// The language that the user has chosen in this browser.
    var chosenLanguage: Language? {
        languageCookie.value(in: request).flatMap {
            Language(tag: $0, acceptingPseudoLocales: Language.pseudoLocales)
        }
    }

    private var languageCookie: PageCookie {
        let origin = services.signIn.publicOrigin
        return .language(origin: origin.acceptsHostHeader ? "http://localhost" : origin.configured())
    }

    /// Returns the context of a page for the user.
    ///
    /// - Parameters:
    ///   - tag: as in ``language(tag:in:of:)``.
    ///   - app: the app whose brand the page has; `nil` if the request does not identify one.
    ///   - projectName: the display name of the project; `nil` if the request does not identify one.
    ///   - account: as in ``language(tag:in:of:)``.
    func pageContext(
        languageTag tag: String? = nil, in realm: Realm?, of app: ID<App>? = nil, projectName: String?,
        for account: Account? = nil
    ) -> Page.Context {
        let brand = realm?.project.brand(of: app) ?? Brand()
        var pageContext = Page.Context(
            language: language(tag: tag, in: realm, of: account), projectName: projectName,
            brand: brand, customTexts: realm?.project.texts ?? CustomTexts(),
            style: brand.color.map(services.projects.styles.style),
            imageDirectory: realm.map { imageDirectory(of: $0.project.id) }, requestID: request.id)
        if realm != nil { pageContext.repeatingQuery = repeatingQuery }
        return pageContext
    }

    /// The parameters with which the same request shows the page again; `nil` if it does not: a callback of a provider
    /// works once, and a page that answers a form cannot be requested without it. The sign-in page and the action page
    /// add what they have checked. Other parameters are left out: a page contains no URL that it has not accepted.
    private var repeatingQuery: [(name: String, value: String)]? {
        let page = request.path.firstRange(of: "/__/auth/").map { request.path[$0.upperBound...] } ?? ""
        let root = page.prefix { $0 != "/" }
        guard request.method == .get, let names = Self.repeatedParameters[String(root)],
            request.repeatedParameter == nil
        else { return nil }
        return request.query.filter { names.contains($0.name) }.map { ($0.name.rawValue, $0.value) }
    }

    /// The parameters of each page that a browser can request again.
    private static let repeatedParameters: [String: Set<ByteText>] = [
        "account": ["after", "app", "deleted", "done", "error", "method", "proof", "userHandle"],
        "action": ["apiKey", "mode", "oobCode"], "forgotPassword": [], "signOut": [],
    ]

    /// The directory with the images of a project's brands, relative to the page. It is below `/__/auth/`, which a site
    /// that embeds the gateway's pages forwards to the gateway.
    private func imageDirectory(of project: ID<Project>) -> String {
        let depth = request.path.utf8.count { $0 == UInt8(ascii: "/") }
        let toRoot = String(repeating: "../", count: max(depth - 1, 0))
        return "\(toRoot)__/auth/assets/\(project.rawValue)/"
    }

    /// The request's context with the language of the page, which emails then use.
    func context(language: Language) -> RequestContext {
        RequestContext(
            network: context.network, device: context.device, language: language,
            emailLanguage: context.emailLanguage, trace: context.trace, isClientGone: context.isClientGone)
    }
}

/// The fields of a submitted form (`application/x-www-form-urlencoded`).
struct FormFields {
    private let values: [ByteText: String]

    /// - Returns: `nil` for another content type, a malformed form, or a repeated name.
    init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.withoutSpaces == "application/x-www-form-urlencoded",
            let pairs = FormDecoder.decode(request.body), pairs.map(\.name).firstDuplicate == nil
        else { return nil }
        values = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value) })
    }

    /// Returns the names of the fields that begin with `prefix`, without the prefix.
    func names(removingPrefix prefix: String) -> [String] {
        values.keys.map(\.rawValue).filter { $0.beginsExactly(with: prefix) }
            .compactMap { String($0.utf8.dropFirst(prefix.utf8.count)) }
    }

    subscript(field: CodeForm.Field) -> String? { values[ByteText(field.rawValue)] }

    func value(_ name: ByteText) -> String? { values[name] }
}

extension String {
    fileprivate var withoutSpaces: String { filter { $0 != " " && $0 != "\t" } }
}
