internal import HTTP
internal import Identity

extension Endpoint {
    static let getProject = client("getProject", .get, "/v1/projects") { _, client in
        guard client.project.tenant == nil else { throw TenantRefusal.notForTenants }
        return try .json(GetProjectResponse(client.project))
    }
}

private struct GetProjectResponse: Encodable {
    /// The project number, as Firebase sends it; see ``Project/number``.
    let projectId: String
    let authorizedDomains: [String]

    init(_ project: Project) {
        projectId = String(project.number)
        authorizedDomains = project.authorizedDomains
    }
}
