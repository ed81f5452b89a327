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

    /// From the page for actions, which is the same for all projects.
    static func forgotPasswordPage(of project: ID<Project>) -> Destination {
        Destination(url: "../../\(project.rawValue.pathSegment)/__/auth/forgotPassword")
    }

    static func app(_ url: ContinueURL) -> Destination { Destination(url: url.text) }
    static func app(_ link: ActionLink) -> Destination { Destination(url: link.url) }
}

extension String {
    /// A project's id is made of these and nothing else; what is not comes to nothing.
    fileprivate var pathSegment: String {
        String(decoding: utf8.filter { Self.inSegments.contains($0) }, as: UTF8.self)
    }

    private static let inSegments = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
}
