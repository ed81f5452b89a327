internal import Encoding

/// The URL of an app to which the browser returns. It is checked when the flow starts, and again when the provider has
/// responded.
public struct AuthorizationTarget: Hashable, Codable, Sendable {
    /// The maximum length in bytes.
    public static let lengthLimit = 2048

    public let text: String

    /// If the app has redirect URIs, accepts only a URL that is equal to one of them. Otherwise accepts:
    /// - https URLs of authorized domains
    /// - http URLs of `localhost` and `127.0.0.1` if these are authorized; with ``ModeRules/acceptsHTTPPages``, of
    ///   every authorized domain
    /// - as long as the project has the ``ModeRules/openDomains``: every https or http URL, and every custom scheme
    ///   that an app can register
    ///
    /// Rejects a URL whose query already has a parameter `grant` or `error`.
    public init(_ text: String, of app: App, in realm: Realm) throws(ContinueURLRefusal) {
        guard text.isUnambiguousURL(byteLimit: Self.lengthLimit) else { throw .malformed }
        if app.settings.redirectURIs.isEmpty {
            try Self.requirePage(text, in: realm)
        } else if !app.settings.redirectURIs.contains(text) {
            guard Self.canBeRegistered(text) else { throw .malformed }
            throw .unauthorizedDomain
        }
        guard !text.queryHas(ResultParameter.ofProvider) else { throw .malformed }
        self.text = text
    }

    /// Accepts what ``init(_:of:in:)`` accepts for an app without redirect URIs, with any parameters in the query.
    public init(page text: String, in realm: Realm) throws(ContinueURLRefusal) {
        guard text.isUnambiguousURL(byteLimit: Self.lengthLimit) else { throw .malformed }
        try Self.requirePage(text, in: realm)
        self.text = text
    }

    private static func requirePage(_ text: String, in realm: Realm) throws(ContinueURLRefusal) {
        let start = text.prefix(8).lowercased()
        if start.beginsExactly(with: "http://") || start.beginsExactly(with: "https://") {
            let page = try ContinueURL(text, in: realm)
            guard start.beginsExactly(with: "https://") || realm.project.acceptsHTTP(page.host) else {
                throw .malformed
            }
        } else {
            guard canBeRegistered(text) else { throw .malformed }
            guard realm.project.acceptsEveryDomain else { throw .unauthorizedDomain }
        }
    }

    /// Returns the URL with the parameters of a result in its query. Their values are encoded.
    public func adding(_ parameters: [(name: ResultParameter, value: String)]) -> String {
        let base = text.prefix { $0 != "#" }
        let separator =
            base.contains("?") ? (base.endsExactly(with: "?") || base.endsExactly(with: "&") ? "" : "&") : "?"
        let query = PercentEncoding.encode(form: parameters.map { ($0.name.rawValue, $0.value) })
        return base + separator + query + text.dropFirst(base.count)
    }

    private init(unchecked text: String) { self.text = text }

    /// Encoded as its text alone: pages repeat it in each link.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The account page of the gateway itself.
    public static func accountPage(_ url: String) -> AuthorizationTarget { AuthorizationTarget(unchecked: url) }

    /// Whether the query already has a parameter of a result, so that an app could read one result as another.
    public var hasResultParameter: Bool { text.queryHas(Set(ResultParameter.allCases)) }

    public var isHTTP: Bool {
        let start = text.prefix(8).lowercased()
        return start.beginsExactly(with: "http://") || start.beginsExactly(with: "https://")
    }

    /// The sources of a Content-Security-Policy for a form that leads to the target: the origin of a page, or the
    /// scheme of an app.
    /// Empty for an IPv6 address, which a policy cannot name (CSP 3 §2.3.1).
    public var formTargets: [String] {
        guard isHTTP else { return [text.prefix { $0 != ":" }.lowercased() + ":"] }
        return text.prefixMatch(of: /[A-Za-z]+:\/\/[A-Za-z0-9.:-]+/).map { [String($0.output)] } ?? []
    }

    /// Whether an app may register `text` as a redirect URI: an https URL (an app link), an http URL of a loopback
    /// host, or a custom scheme (RFC 8252 §7). Schemes that browsers handle themselves are not accepted.
    public static func canBeRegistered(_ text: String) -> Bool {
        guard text.isUnambiguousURL(byteLimit: Self.lengthLimit), !text.contains("#"),
            !text.queryHas(ResultParameter.ofProvider),
            let match = text.wholeMatch(of: /([A-Za-z][A-Za-z0-9+.-]*):(.+)/)
        else { return false }
        let (scheme, remainder) = (match.1.lowercased(), match.2)
        switch scheme {
        case "https": return remainder.wholeMatch(of: /\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?([\/?].*)?/) != nil
        case "http":
            return remainder.wholeMatch(of: /\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?([\/?].*)?/) != nil
        default: return !browserSchemes.contains(scheme)
        }
    }

    private static let browserSchemes: Set<String> = [
        "about", "blob", "chrome", "chrome-extension", "content", "data", "file", "filesystem", "ftp", "intent",
        "jar", "javascript", "livescript", "mailto", "mhtml", "resource", "tel", "vbscript", "view-source", "ws",
        "wss",
    ]
}

extension Project {
    /// The pages that may frame the helper page of Firebase's SDK, and so receive its events: sources of a
    /// Content-Security-Policy (CSP 3 §2.3.1).
    public var frameAncestors: [String] {
        guard !acceptsEveryDomain else { return ["*"] }
        let sources = authorizedDomains.filter(Project.isHostName).map { $0.lowercased() }.flatMap { host in
            ["https://\(host):*"] + (acceptsHTTP(host) ? ["http://\(host):*"] : [])
        }
        return sources.isEmpty ? ["'none'"] : sources
    }

    /// Whether pages of `host` may be http URLs.
    fileprivate func acceptsHTTP(_ host: String) -> Bool {
        modeRules.acceptsHTTPPages || host == "localhost" || host == "127.0.0.1"
    }
}
