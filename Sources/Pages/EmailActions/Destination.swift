internal import Identity

/// Where a page may lead: to another of our own, or to where the project's people are at home.
struct Destination: Sendable {
    let url: String

    private init(url: String) {
        self.url = url
    }

    /// Relative to its form, so that a proxy may put the gateway below a path of its own.
    static let actionPage = Destination(url: "action")
    static let forgotPasswordPage = Destination(url: "forgotPassword")

    static func app(_ url: ContinueURL) -> Destination { Destination(url: url.text) }
    static func app(_ link: ActionLink) -> Destination { Destination(url: link.url) }
}
