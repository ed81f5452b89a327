internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// The target of links that an app opens. A browser gets here if the app is not installed, and continues with the
    /// action page.
    static let openAppLink = page("openAppLink", .get, "/{project}" + AppLink.path) { call in
        guard let id = call.parameters["project"],
            let (project, _) = try await call.services.emailActions.pages.project(ID(id))
        else { throw RequestRefusal.notFound }
        let mode = call.request.query("mode").flatMap(ActionLink.Mode.init(rawValue:))
        let base =
            mode.map { project.emailSettings.actionBase(of: $0, at: AppLink.toRoot) }
            ?? AppLink.toRoot + EmailSettings.actionPath
        let query = call.request.query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        let location = query.isEmpty ? base : "\(base)?\(query.joined(separator: "&"))"
        return PageResponse(Response(status: 303, headers: ["Location": location]), of: project.realm)
    }
}

extension AppLink {
    /// From ``path(of:)`` to the root of the gateway. Relative, so that a proxy may put the gateway below a path of its
    /// own.
    fileprivate static let toRoot = "../../.."
}
