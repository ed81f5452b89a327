internal import HTTP
internal import Identity

extension Endpoint {
    /// Finds accounts by email address, phone number or prefix of the ID.
    static let searchAccounts = administrator(
        "searchAccounts", .get, "/v1/projects/{project}/accounts:search", needs: .readUsers,
        bodyLimit: openBodyLimit
    ) { call, administrator in
        let request = try SearchRequest(call.request)
        try call.targetFields.check(for: administrator)
        let page = try await call.services.accounts.queries.search(
            request.text, after: request.last, limit: request.limit, in: administrator.project)
        return try .json(SearchResponse(page, of: administrator.project.tenant))
    }
}

private struct SearchRequest {
    static let limits = 1...100

    let text: String
    let limit: Int
    let last: ID<Account>?

    init(_ request: Request) throws(RequestRefusal) {
        guard let text = request.query("q").nonEmpty, text.unicodeScalars.count <= 254,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalidField("/q", "must be 1 to 254 characters") }
        self.text = text
        let wanted = request.query("maxResults").nonEmpty ?? "20"
        guard let limit = Int(wanted), Self.limits.contains(limit) else {
            throw .invalidField("/maxResults", "must be 1 to \(Self.limits.upperBound)")
        }
        self.limit = limit
        let token = request.query("nextPageToken").nonEmpty
        guard token == nil || token.map(ID<Account>.canBe) == true else { throw .rejected(.invalidPageSelection) }
        last = token.map { ID($0) }
    }
}

private struct SearchResponse: Encodable {
    let kind = "sekisho#SearchAccountsResponse"
    let users: [UserInfo]
    let nextPageToken: String?

    init(_ page: AccountQueryService.Page, of tenant: Tenant?) {
        users = page.accounts.map { .forAdministrators($0, of: tenant) }
        nextPageToken = page.last?.rawValue
    }
}
