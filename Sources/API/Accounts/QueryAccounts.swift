internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists one page of the accounts of a project. If `returnUserInfo` is false, returns only the number of accounts
    /// on all pages. An expression selects at most one account. All expressions except the first are ignored.
    static let queryAccounts = administrator(
        "queryAccounts", .post, "/v1/projects/{project}/accounts:query", needs: .readUsers
    ) { call, administrator in
        try await call.queryAccounts(for: administrator)
    }

    /// The operation ``queryAccounts`` under its other name.
    static let queryProjectAccounts = administrator(
        "queryProjectAccounts", .post, "/v1/projects/{project}:queryAccounts", needs: .readUsers
    ) { call, administrator in
        try await call.queryAccounts(for: administrator)
    }
}

extension EndpointCall {
    fileprivate func queryAccounts(for administrator: Administrator) async throws -> Response {
        let request = try body(as: QueryAccountsRequest.self, for: administrator)
        let condition = request.expression?.first?.condition
        guard request.returnUserInfo != false else {
            let count = try await self.count(condition, in: administrator.realm)
            return try .json(QueryAccountsResponse(count: count))
        }
        let (offset, limit) = (try request.checkedOffset(), try request.checkedLimit())
        guard let condition else {
            let accounts = try await services.accounts.queries.page(
                by: request.sorting, skipping: offset, limit: limit, in: administrator.realm)
            let tenant = administrator.realm.tenant
            return try await json(of: accounts.count, for: administrator.realm.project.id) {
                QueryAccountsResponse(accounts, of: tenant)
            }
        }
        let found = try await services.accounts.administration.find(condition.references, in: administrator.realm)
        return try .json(
            QueryAccountsResponse(Array(found.dropFirst(offset).prefix(limit)), of: administrator.realm.tenant))
    }

    private func count(_ condition: QueryAccountsRequest.Expression.Condition?, in realm: Realm) async throws -> Int {
        guard let condition else { return try await services.accounts.administration.count(in: realm) }
        return try await services.accounts.administration.find(condition.references, in: realm).count
    }
}

private struct QueryAccountsRequest: Decodable {
    let returnUserInfo: Bool?
    let order: Order?
    let sortBy: Field?
    let limit: String?
    let offset: String?
    let expression: [Expression]?

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

    /// The maximum and the default of `limit`.
    static let maximumLimit = 500
    /// The maximum of `offset`. It is limited because the database reads the skipped accounts too.
    static let maximumOffset = 100_000

    /// Firebase's `SqlExpression`, which matches at most one account. If it has several members, the first of `email`,
    /// `phoneNumber` and `userId` applies.
    struct Expression: Decodable {
        let email: String?
        let phoneNumber: String?
        let userId: String?

        struct Condition {
            /// The account that matches the condition; empty if no account can have the value.
            let references: [AccountReference]
        }

        /// `nil` if the expression has no members, and therefore matches every account.
        var condition: Condition? {
            if let email = email.nonEmpty {
                return Condition(references: EmailAddress(email).map { [.email($0)] } ?? [])
            }
            if let phoneNumber = phoneNumber.nonEmpty {
                return Condition(references: PhoneNumber(phoneNumber).map { [.phoneNumber($0)] } ?? [])
            }
            return userId.nonEmpty.map { Condition(references: [.id(ID($0))]) }
        }
    }

    var sorting: AccountOrder {
        let field: AccountOrder.Field =
            switch sortBy {
            case nil, .unspecified, .userID: .id
            case .name: .displayName
            case .createdAt: .createdAt
            case .lastLoginAt: .lastSignInAt
            case .email: .email
            }
        return AccountOrder(field, isDescending: order == .descending)
    }

    func checkedOffset() throws(RequestRefusal) -> Int {
        guard let text = offset.nonEmpty else { return 0 }
        guard let number = Int(text), (0...Self.maximumOffset).contains(number) else {
            throw .invalidField("/offset", "must be 0 to \(Self.maximumOffset)")
        }
        return number
    }

    func checkedLimit() throws(RequestRefusal) -> Int {
        guard let text = limit.nonEmpty else { return Self.maximumLimit }
        guard let number = Int(text), (1...Self.maximumLimit).contains(number) else {
            throw .invalidField("/limit", "must be 1 to \(Self.maximumLimit)")
        }
        return number
    }
}

private struct QueryAccountsResponse: Encodable {
    let recordsCount: String
    let userInfo: [UserInfo]?

    init(count: Int) {
        recordsCount = String(count)
        userInfo = nil
    }

    init(_ accounts: [Account], of tenant: Tenant?) {
        recordsCount = String(accounts.count)
        userInfo = accounts.map { .forAdministrators($0, of: tenant) }
    }
}
