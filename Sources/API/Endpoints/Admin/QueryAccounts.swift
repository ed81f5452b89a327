internal import HTTP
internal import Identity

extension Endpoint {
    /// Counts the accounts of a project, or lists the first of them.
    static let queryAccounts = administrator(
        "queryAccounts", .post, "/v1/projects/{project}/accounts:query", needs: .readUsers, bodyLimit: clientBodyLimit
    ) { call, administrator in
        try await call.queryAccounts(for: administrator)
    }

    /// The same under its other name.
    static let queryProjectAccounts = administrator(
        "queryProjectAccounts", .post, "/v1/projects/{project}:queryAccounts", needs: .readUsers,
        bodyLimit: clientBodyLimit
    ) { call, administrator in
        try await call.queryAccounts(for: administrator)
    }
}

extension Call {
    fileprivate func queryAccounts(for administrator: Administrator) async throws -> Response {
        let request = try body(as: QueryAccountsRequest.self, for: administrator)
        try request.checkImplemented()
        guard request.returnUserInfo != false else {
            let count = try await services.administration.count(in: administrator.project)
            return try .json(QueryAccountsResponse(recordsCount: String(count), userInfo: nil))
        }
        let accounts = try await services.administration.page(
            after: nil, skipping: try request.checkedOffset(), limit: try request.checkedLimit(),
            descending: request.order == .descending, in: administrator.project)
        return try .json(
            QueryAccountsResponse(
                recordsCount: String(accounts.count), userInfo: accounts.map(UserInfo.forAdministrators)))
    }
}

private struct QueryAccountsRequest: Decodable {
    let returnUserInfo: Bool?
    let order: Order?
    let sortBy: Field?
    let limit: String?
    let offset: String?
    let expression: [Present]?

    enum Order: String, WireEnum {
        case unspecified = "ORDER_UNSPECIFIED"
        case ascending = "ASC"
        case descending = "DESC"
    }

    enum Field: String, WireEnum {
        case unspecified = "SORT_BY_FIELD_UNSPECIFIED"
        case userID = "USER_ID"
        case name = "NAME"
        case createdAt = "CREATED_AT"
        case lastLoginAt = "LAST_LOGIN_AT"
        case email = "USER_EMAIL"
    }

    static let limit = 500
    /// Those skipped are gone through all the same.
    static let offsetLimit = 100_000

    func checkImplemented() throws(WireError) {
        guard expression == nil else { throw .notImplemented("expression") }
        guard sortBy == nil || sortBy == .unspecified || sortBy == .userID else { throw .notImplemented("sortBy") }
    }

    func checkedOffset() throws(WireError) -> Int {
        guard let text = offset.nonEmpty else { return 0 }
        guard let number = Int(text), (0...Self.offsetLimit).contains(number) else {
            throw .invalidField("/offset", "must be 0 to \(Self.offsetLimit)")
        }
        return number
    }

    func checkedLimit() throws(WireError) -> Int {
        guard let text = limit.nonEmpty else { return Self.limit }
        guard let number = Int(text), (1...Self.limit).contains(number) else {
            throw .invalidField("/limit", "must be 1 to \(Self.limit)")
        }
        return number
    }
}

private struct QueryAccountsResponse: Encodable {
    let recordsCount: String
    let userInfo: [UserInfo]?
}
