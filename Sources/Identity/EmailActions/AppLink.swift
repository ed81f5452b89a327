/// A link that an installed app opens instead of a browser. Without the app, the browser shows the action page.
///
/// The link names the app that the request for the email named, so that no other app of the project opens it.
public enum AppLink {
    /// The path after the project's ID. Apple's well-known file lists this path only, and an Android app names it in
    /// its manifest, so that apps open no other links.
    public static let path = "/__/auth/links"
    /// The query parameter with the bundle ID.
    public static let bundleIDParameter = "ibi"
    /// The query parameter with the Android package.
    public static let packageParameter = "apn"

    public static func path(of project: ID<Project>) -> String { "/\(project)\(path)" }

    /// The app that a client names when it requests an email.
    public struct Request: Hashable, Sendable {
        public let bundleID: String?
        public let package: String?

        public init(bundleID: String?, package: String?) {
            self.bundleID = bundleID
            self.package = package
        }
    }

    /// The URL that the link begins with.
    ///
    /// - Parameter publicURL: the gateway's public URL, without a slash at the end.
    /// - Returns: `nil` if the request names no app of the project that is associated with the gateway's host.
    public static func base(for request: Request, in realm: Realm, at publicURL: String) -> String? {
        let apps = realm.associatedApps.filter { $0.isAssociated(with: host(of: publicURL)) }
        let parameters = [
            (
                bundleIDParameter,
                request.bundleID.flatMap { id in apps.contains { $0.bundleIDs.contains(id) } ? id : nil }
            ),
            (packageParameter, request.package.flatMap { id in apps.contains { $0.packages.contains(id) } ? id : nil }),
        ].compactMap { name, id in id.map { "\(name)=\($0)" } }
        return parameters.isEmpty
            ? nil : "\(publicURL)\(path(of: realm.project.id))?\(parameters.joined(separator: "&"))"
    }

    private static func host(of publicURL: String) -> String {
        let authority = publicURL.split(separator: "://", maxSplits: 1).last ?? ""
        return String(authority.prefix { $0 != ":" })
    }
}
