internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists the sessions of the caller's account page by page, those with the latest login first.
    static let listSessions = client("listSessions", .post, "/v1/accounts:listSessions") { call, client in
        let request = try call.body(as: ListSessionsRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let limit = try ListPage.parseLimit("pageSize", request.pageSize, default: 100, maximum: 1000)
        let position = try request.pageToken.nonEmpty.map(TimePosition.init(pageToken:))
        let caller = try await call.services.signIn.authenticator.authenticate(
            idToken: idToken, in: client.realm, acceptsSupport: true)
        let page = try await call.services.sessions.list(
            for: caller, after: position, limit: limit, in: client.realm)
        return try await call.json(of: page.sessions.count, for: client.realm.project.id) {
            ListSessionsResponse(
                sessions: page.sessions.map { SessionInfo($0, current: caller.session, in: client.realm.project) },
                nextPageToken: page.next?.text)
        }
    }

    /// Lists the sessions of any account, for an administrator.
    static let listAccountSessions = administrator(
        "listAccountSessions", .get, "/v1/projects/{project}/accounts/{localId}/sessions", needs: .readUsers
    ) { call, administrator in
        try call.checkProjectAndTenantInQuery(for: administrator)
        let limit = try ListPage.parseLimit("pageSize", call.request.query("pageSize"), default: 100, maximum: 1000)
        let position = try call.request.query("pageToken").nonEmpty.map(TimePosition.init(pageToken:))
        let page = try await call.services.sessions.list(
            of: ID(call.parameters["localId"] ?? ""), after: position, limit: limit, in: administrator.realm)
        return try await call.json(of: page.sessions.count, for: administrator.realm.project.id) {
            ListSessionsResponse(
                sessions: page.sessions.map { SessionInfo($0, current: nil, in: administrator.realm.project) },
                nextPageToken: page.next?.text)
        }
    }
}

private struct ListSessionsRequest: ClientRequestBody {
    let idToken: String?
    /// A number; the decoder also accepts it as text.
    let pageSize: String?
    let pageToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct ListSessionsResponse: Encodable {
    let sessions: [SessionInfo]
    let nextPageToken: String?
}

private struct SessionInfo: Encodable {
    let sessionId: String
    let current: Bool
    let signInProvider: String
    let device: String?
    let appId: String?
    let appDisplayName: String?
    let createdAt: String
    let lastUsedAt: String
    /// Absent unless `true`.
    let supportAccess: Bool?

    init(_ listed: ListedSession, current own: Session?, in project: Project) {
        sessionId = listed.session.id.rawValue
        current = listed.session.id == own?.id
        signInProvider = listed.session.method.rawValue
        device = listed.session.device
        appId = listed.app?.rawValue
        appDisplayName = listed.app.flatMap { project.name(of: $0) }
        createdAt = listed.session.authenticatedAt.iso8601
        lastUsedAt = listed.lastUsedAt.iso8601
        supportAccess = listed.session.support == nil ? nil : true
    }
}
