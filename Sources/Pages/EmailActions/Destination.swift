internal import HTML
internal import Identity

/// Where a page may lead: to another page of the gateway, or to a URL that was checked against the project's authorized
/// domains.
struct Destination: Sendable {
    let url: URLReference

    private init(_ url: String) {
        self.url = URLReference(url)
    }

    private init(_ url: URLReference) {
        self.url = url
    }

    /// Relative, so that a proxy may put the gateway below a path of its own.
    static let actionPage = Destination("action")
    static let forgotPasswordPage = Destination("forgotPassword")

    static func app(_ url: ContinueURL) -> Destination { Destination(url.text) }
    static func app(_ link: ActionLink) -> Destination { Destination(link.url) }
    /// - Parameter url: the target with parameters that the gateway added. Its scheme can be that of an app.
    static func app(_: AuthorizationTarget, at url: String) -> Destination { Destination(URLReference(appLink: url)) }
    /// The same page with another query.
    static func handler(query: String) -> Destination { Destination("?" + query) }
}
