internal import HTML
internal import Identity

/// The target of a link or form: another page of the gateway, or a checked URL of the app.
struct Destination: Sendable {
    let url: URLReference

    private init(_ url: String) {
        self.url = URLReference(url)
    }

    private init(_ url: URLReference) {
        self.url = url
    }

    /// The URL is relative, so that a proxy may serve the gateway under another path.
    static let actionPage = Destination("action")
    static let forgotPasswordPage = Destination("forgotPassword")
    /// The current path, without a query.
    static let currentPage = Destination("?")

    /// The main element of the page.
    static let content = field(.content)
    /// An element of the page.
    static func field(_ id: ElementID) -> Destination { Destination("#" + id.rawValue) }
    static func brand(_ link: BrandLink) -> Destination { Destination(URLReference(webOrEmail: link.text)) }
    /// Another page of the account page, or the page that signs out.
    ///
    /// - Parameter path: relative.
    static func accountPage(_ path: String) -> Destination { Destination(path) }
    static let signInPage = Destination("signIn")
    /// From the action page back to a visit of the sign-in page.
    static func signInPage(_ visit: SignInPageReturn) -> Destination {
        Destination("../../\(visit.project)/__/auth/signIn?link=\(visit.sealed)")
    }

    /// A screen of the sign-in page in the same flow.
    static func signInPage(screen: String, flow: String) -> Destination {
        Destination("signIn?screen=\(screen)&flow=\(flow)")
    }

    /// Starts the sign-in with a provider.
    ///
    /// - Parameters:
    ///   - provider: an ID, which contains no character that a query must escape.
    ///   - flow: the sealed flow in base64url.
    static func provider(_ provider: String, flow: String) -> Destination {
        Destination("signIn/provider?providerId=\(provider)&flow=\(flow)")
    }

    static func fragment(_ id: ElementID) -> Destination { Destination("#" + id.rawValue) }

    static func app(_ url: ContinueURL) -> Destination { Destination(url.text) }
    static func app(_ link: ActionLink) -> Destination { Destination(link.url) }
    /// - Parameter url: the URL of the target, with or without an error in its query. It may have a custom scheme. The
    ///   target shows that the URL was checked when the sign-in started.
    static func app(_: AuthorizationTarget, at url: String) -> Destination { Destination(URLReference(appLink: url)) }
    /// The current path with `query`.
    static func currentPath(query: String) -> Destination { Destination("?" + query) }
}
