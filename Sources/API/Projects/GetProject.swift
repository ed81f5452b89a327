internal import HTTP
internal import Identity

extension Endpoint {
    static let getProject = client("getProject", .get, "/v1/projects") { _, client in
        guard client.realm.tenant == nil else { throw TenantRefusal.notForTenants }
        return try .json(GetProjectResponse(client.realm))
    }
}

private struct GetProjectResponse: Encodable {
    /// The project number, as Firebase sends it; see ``Project/number``.
    let projectId: String
    let authorizedDomains: [String]

    init(_ realm: Realm) {
        projectId = String(realm.project.number)
        authorizedDomains = realm.project.authorizedDomains
    }
}
