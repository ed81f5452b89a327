internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Finds accounts by `q` or by `realUserStatus`. `q` is an email address, a phone number or the beginning of an ID.
    /// `realUserStatus` is the status that Apple reported for the account's Apple identity.
    static let searchAccounts = administrator(
        "searchAccounts", .get, "/v1/projects/{project}/accounts:search", needs: .readUsers
    ) { call, administrator in
        let request = try SearchRequest(call.request)
        try call.checkProjectAndTenantInQuery(for: administrator)
        let queries = call.services.accounts.queries
        let page =
            switch request.term {
            case .text(let text):
                try await queries.search(
                    text, after: request.lastIDOfPreviousPage, limit: request.limit, in: administrator.realm)
            case .realUserStatus(let status):
                try await queries.search(
                    realUserStatus: status, after: request.lastIDOfPreviousPage, limit: request.limit,
                    in: administrator.realm)
            }
        return try .json(SearchResponse(page, of: administrator.realm.tenant))
    }
}

private struct SearchRequest {
    /// The valid values of `maxResults`, the maximum number of accounts on a page.
    static let limits = 1...100
    /// The maximum length of `q`, in characters: that of an email address.
    static let textLimit = 254

    enum Term {
        case text(String)
        /// Apple's number for the status.
        case realUserStatus(Int)
    }

    let term: Term
    let limit: Int
    /// `nil` for the first page.
    let lastIDOfPreviousPage: ID<Account>?

    init(_ request: Request) throws(RequestRefusal) {
        term = try Self.term(request)
        let requested = request.query("maxResults").nonEmpty ?? "20"
        guard let limit = Int(requested), Self.limits.contains(limit) else {
            throw .invalidField("/maxResults", "must be 1 to \(Self.limits.upperBound)")
        }
        self.limit = limit
        lastIDOfPreviousPage = try .parsing(pageToken: request.query("nextPageToken"))
    }

    private static func term(_ request: Request) throws(RequestRefusal) -> Term {
        guard let name = request.query("realUserStatus").nonEmpty else {
            guard let text = request.query("q").nonEmpty, text.unicodeScalars.count <= textLimit,
                !text.unicodeScalars.contains(where: \.isControl)
            else { throw .invalidField("/q", "must be 1 to \(textLimit) characters, without control characters") }
            return .text(text)
        }
        guard request.query("q").nonEmpty == nil else {
            throw .invalidField("/q", "must be absent if realUserStatus is present")
        }
        guard let status = ProviderUserInfo.realUserStatuses.firstIndex(of: name) else {
            throw .notOneOf(ProviderUserInfo.realUserStatuses, at: "/realUserStatus")
        }
        return .realUserStatus(status)
    }
}

private struct SearchResponse: Encodable {
    let kind = "sekisho#SearchAccountsResponse"
    let users: [UserInfo]
    let nextPageToken: String?

    init(_ page: AccountQueryService.Page, of tenant: Tenant?) {
        users = page.accounts.map { .forAdministrators($0, of: tenant) }
        nextPageToken = page.lastID?.rawValue
    }
}
