internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists all accounts of a project in pages, in the order of their IDs.
    static let batchGetAccounts = administrator(
        "batchGetAccounts", .get, "/v1/projects/{project}/accounts:batchGet", needs: .readUsers.withRecentProof
    ) { call, administrator in
        try call.checkProjectAndTenantInQuery(for: administrator)
        let page = try AccountPage(
            maxResults: call.request.query("maxResults"), nextPageToken: call.request.query("nextPageToken"))
        return try await call.listAccounts(on: page, for: administrator)
    }

    /// The operation ``batchGetAccounts`` under its legacy name, with the parameters in the body.
    static let downloadAccounts = administrator(
        "downloadAccounts", .post, "/v1/accounts:download", needs: .readUsers
    ) { call, administrator in
        let request = try call.body(as: DownloadRequest.self, for: administrator)
        try request.requireTargetProject()
        let page = try AccountPage(
            maxResults: request.maxResults.map { String($0) }, nextPageToken: request.nextPageToken)
        return try await call.listAccounts(on: page, for: administrator)
    }
}

private struct DownloadRequest: LegacyBatchRequest {
    let targetProjectId: String?
    let maxResults: Int?
    let nextPageToken: String?
}

/// A batch request under a legacy name. Its path names no project, so its body must name one.
protocol LegacyBatchRequest: Decodable {
    var targetProjectId: String? { get }
}

extension LegacyBatchRequest {
    /// Rejects a body that names no project.
    func requireTargetProject() throws(RequestRefusal) {
        guard targetProjectId.nonEmpty != nil else { throw .rejected(.insufficientPermission) }
    }
}

extension EndpointCall {
    fileprivate func listAccounts(on page: AccountPage, for administrator: Administrator) async throws -> Response {
        let accounts = try await services.accounts.administration.page(
            after: page.lastIDOfPreviousPage, limit: page.limit, in: administrator.realm)
        let (tenant, limit) = (administrator.realm.tenant, page.limit)
        return try await json(of: accounts.count, for: administrator.realm.project.id) {
            BatchGetResponse(accounts, of: tenant, limit: limit)
        }
    }
}

private struct AccountPage {
    let limit: Int
    /// `nil` for the first page.
    let lastIDOfPreviousPage: ID<Account>?

    init(maxResults: String?, nextPageToken: String?) throws(RequestRefusal) {
        limit = try ListPage.parseLimit("maxResults", maxResults, maximum: 1000)
        lastIDOfPreviousPage = try .parsing(pageToken: nextPageToken)
    }
}

extension ID<Account> {
    /// Parses a page token, which is the ID of the last account of the previous page.
    ///
    /// - Returns: `nil` for an absent or empty token, which requests the first page.
    /// - Throws: `INVALID_PAGE_SELECTION` if no account can have this ID.
    static func parsing(pageToken token: String?) throws(RequestRefusal) -> ID? {
        guard let token = token.nonEmpty else { return nil }
        guard isValid(token) else { throw .rejected(.invalidPageSelection) }
        return ID(token)
    }
}

private struct BatchGetResponse: Encodable {
    let kind = "identitytoolkit#DownloadAccountResponse"
    let users: [UserInfo]
    /// The last ID of this page if the page is full, even if the next page is empty.
    let nextPageToken: String?

    init(_ accounts: [Account], of tenant: Tenant?, limit: Int) {
        users = accounts.map { .forAdministrators($0, of: tenant) }
        nextPageToken = accounts.count == limit ? accounts.last?.id.rawValue : nil
    }
}
