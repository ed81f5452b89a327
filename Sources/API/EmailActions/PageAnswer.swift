internal import HTTP
internal import Identity
internal import Pages

/// What an operation for people answers. Other origins have no business with it.
struct PageAnswer {
    let response: Response
    let realm: ID<Realm>?
    /// The wire's code, for the log: the page says it in words.
    let refusal: String?

    /// - Parameter refusal: why the page is not the one that was asked for.
    init(_ response: Response, of realm: ID<Realm>? = nil, because refusal: (any Refusal)? = nil) {
        self.response = response
        self.realm = realm
        self.refusal = refusal?.loggedCode
    }

    init(_ page: Page, of realm: ID<Realm>? = nil) {
        self.init(page.response(), of: realm)
    }

    init(_ page: Page, of realm: ID<Realm>?, status: Int = 400, because refusal: any Refusal) {
        self.init(page.response(status: status), of: realm, because: refusal)
    }
}

extension EndpointCall {
    /// What the link asks for, then what the browser does, then what the project is written in.
    func language(asked tag: String?, in project: Project?) -> Language {
        tag.flatMap(Language.init(tag:)) ?? origin.language ?? project?.emailSettings.language ?? .english
    }

    /// The request's context with the language of the page, which emails then use.
    func origin(reading language: Language) -> RequestContext {
        RequestContext(network: origin.network, device: origin.device, language: language, trace: origin.trace)
    }
}

/// What people typed into a form, and what the form knew before (`application/x-www-form-urlencoded`).
struct FormFields {
    private let values: [String: String]

    /// - Returns: `nil` for anything else, and where a name stands twice.
    init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.trimmingSpaces == "application/x-www-form-urlencoded",
            let pairs = FormDecoder.decode(request.body), Set(pairs.map(\.0)).count == pairs.count
        else { return nil }
        values = Dictionary(uniqueKeysWithValues: pairs)
    }

    /// What stands behind `prefix` in names that begin with it.
    func names(after prefix: String) -> [String] {
        values.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    subscript(field: CodeForm.Field) -> String? { values[field.rawValue] }
}

extension String {
    fileprivate var trimmingSpaces: String { filter { $0 != " " && $0 != "\t" } }
}
