internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists all accounts of a project in pages, in the order of their IDs.
    static let batchGetAccounts = administrator(
        "batchGetAccounts", .get, "/v1/projects/{project}/accounts:batchGet", needs: .readUsers,
        bodyLimit: openBodyLimit
    ) { call, administrator in
        let request = try BatchGetRequest(call.request)
        try call.targetFields.check(for: administrator)
        let accounts = try await call.services.accounts.administration.page(
            after: request.last, limit: request.limit, in: administrator.project)
        return try .json(BatchGetResponse(accounts, of: administrator.project.tenant, limit: request.limit))
    }
}

private struct BatchGetRequest {
    let limit: Int
    let last: ID<Account>?

    init(_ request: Request) throws(RequestRefusal) {
        let wanted = request.query("maxResults").nonEmpty ?? "20"
        guard let number = Int(wanted), number >= 0 else {
            throw .invalidField("/maxResults", "must be a non-negative integer")
        }
        limit = number == 0 ? 20 : min(number, 1000)
        let token = request.query("nextPageToken").nonEmpty
        guard token == nil || token.map(ID<Account>.canBe) == true else {
            throw .rejected(.invalidPageSelection)
        }
        last = token.map { ID($0) }
    }
}

private struct BatchGetResponse: Encodable {
    let kind = "identitytoolkit#DownloadAccountResponse"
    let users: [UserInfo]
    /// The last ID of a full page, even if no page follows.
    let nextPageToken: String?

    init(_ accounts: [Account], of tenant: Tenant?, limit: Int) {
        users = accounts.map { .forAdministrators($0, of: tenant) }
        nextPageToken = accounts.count == limit ? accounts.last?.id.rawValue : nil
    }
}
