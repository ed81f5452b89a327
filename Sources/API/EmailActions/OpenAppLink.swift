internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// The target of links in emails that an installed app opens itself, without a request to this endpoint. If the app
    /// is not installed, the browser sends the request, and the gateway redirects it to the action page.
    static let openAppLink = page("openAppLink", .get, "/{project}" + AppLink.path) { call in
        guard let id = call.parameters["project"],
            let (realm, _) = try await call.services.emailActions.pageService.realm(ofProject: ID(id))
        else { throw RequestRefusal.notFound }
        let mode = call.request.query("mode").flatMap(ActionLink.Mode.init(rawValue:))
        // For some modes, the project's settings can replace the gateway's action page.
        let base =
            mode.map { realm.project.emailSettings.actionBase(of: $0, at: AppLink.toRoot) }
            ?? AppLink.toRoot + EmailSettings.actionPath
        let query = call.encodedQuery
        let location = query.isEmpty ? base : "\(base)?\(query)"
        return PageResponse(Response(status: 303, headers: ["Location": location]), of: realm.id)
    }
}

extension AppLink {
    /// The path from ``path(of:)`` to the root of the gateway. It is relative, so that a proxy can serve the gateway
    /// below another path.
    fileprivate static let toRoot = "../../.."
}
