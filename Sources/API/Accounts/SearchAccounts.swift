internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists accounts in pages: those that a text finds, those that a filter selects, or all of them in an order.
    static let searchAccounts = administrator(
        "searchAccounts", .get, "/v1/projects/{project}/accounts:search", needs: .readUsers
    ) { call, administrator in
        let request = try SearchRequest(call.request)
        try call.checkProjectAndTenantInQuery(for: administrator)
        let page = try await call.services.accounts.queries.search(
            request.search, at: request.pageToken, limit: request.limit, in: administrator.realm)
        return try .json(SearchResponse(page, of: administrator.realm.tenant))
    }
}

private struct SearchRequest {
    /// The valid values of `maxResults`, the maximum number of accounts on a page.
    static let limits = 1...100

    let search: AccountSearch
    let limit: Int
    /// `nil` for the first page.
    let pageToken: String?

    init(_ request: Request) throws(RequestRefusal) {
        let search = try AccountSearch(request)
        let requested = request.query("maxResults").nonEmpty ?? "20"
        guard let limit = Int(requested), Self.limits.contains(limit) else {
            throw .invalidField("/maxResults", "must be 1 to \(Self.limits.upperBound)")
        }
        self.search = search
        self.limit = limit
        pageToken = request.query("nextPageToken").nonEmpty
    }
}

extension AccountSearch {
    /// The maximum length of `q`, in characters: that of an email address.
    private static let textLimit = 254

    private enum Filter: String, CaseIterable {
        case disabled = "DISABLED"
        case guest = "GUEST"
        case relayStopped = "RELAY_STOPPED"
    }

    private enum SortKey: String, CaseIterable {
        case id = "USER_ID"
        case createdAt = "CREATED_AT"
        case email = "USER_EMAIL"
        case name = "NAME"
    }

    private enum Order: String, CaseIterable {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// Rejects every combination that no index serves.
    fileprivate init(_ request: Request) throws(RequestRefusal) {
        let sortKey: SortKey? = try Self.choice("sortBy", request)
        let order: Order? = try Self.choice("order", request)
        let filter: Filter? = try Self.choice("filter", request)
        let isDescending = order == .descending
        let selections: [ByteText] = ["q", "filter", "realUserStatus"].filter { request.query($0).nonEmpty != nil }
        guard selections.count <= 1 else {
            throw .invalidField("/\(selections[1])", "must be absent if \(selections[0]) is present")
        }
        if let text = request.query("q").nonEmpty {
            try Self.reject(sortKey, order, unless: nil)
            guard text.unicodeScalars.count <= Self.textLimit, !text.unicodeScalars.contains(where: \.isControl) else {
                throw .invalidField("/q", "must be 1 to \(Self.textLimit) characters, without control characters")
            }
            self = .text(text)
        } else if let name = request.query("realUserStatus").nonEmpty {
            try Self.reject(sortKey, order, unless: .id)
            guard let status = ProviderUserInfo.realUserStatuses.firstIndex(of: name) else {
                throw .notOneOf(ProviderUserInfo.realUserStatuses, at: "/realUserStatus")
            }
            self = .listing(.realUserStatus(status))
        } else {
            switch filter {
            case nil: self = .listing(.all(by: Self.listingKey(sortKey), isDescending: isDescending))
            case .relayStopped:
                try Self.reject(sortKey, order, unless: .id)
                self = .listing(.relayStopped)
            case .disabled:
                try Self.reject(sortKey, nil, unless: .createdAt)
                self = .listing(.disabled(isDescending: isDescending))
            case .guest:
                try Self.reject(sortKey, nil, unless: .createdAt)
                self = .listing(.guestCandidates(isDescending: isDescending))
            }
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ member: ByteText, _ request: Request
    ) throws(RequestRefusal) -> Choice? {
        guard let text = request.query(member).nonEmpty else { return nil }
        // Compares bytes: the raw values are ASCII.
        guard let choice = Choice.allCases.first(where: { $0.rawValue.isExactly(text) }) else {
            throw .notOneOf(Choice.allCases.map(\.rawValue), at: "/\(member)")
        }
        return choice
    }

    /// Rejects a sort order that the list does not have.
    ///
    /// - Parameter key: the sort key of the list, in ascending order; `nil` if it has none.
    private static func reject(
        _ sortKey: SortKey?, _ order: Order?, unless key: SortKey?
    ) throws(RequestRefusal) {
        if let sortKey, sortKey != key {
            let expectation = key.map { "must be absent or \($0.rawValue) with this filter" }
            throw .invalidField("/sortBy", expectation ?? "must be absent if q is present")
        }
        guard order != .descending else {
            throw .invalidField("/order", "must be absent or ASC: no index has the opposite order")
        }
    }

    private static func listingKey(_ key: SortKey?) -> AccountListing.SortKey {
        switch key {
        case nil, .id: .id
        case .createdAt: .createdAt
        case .email: .email
        case .name: .displayName
        }
    }
}

private struct SearchResponse: Encodable {
    let kind = "sekisho#SearchAccountsResponse"
    let users: [UserInfo]
    let nextPageToken: String?

    init(_ page: AccountQueryService.Page, of tenant: Tenant?) {
        users = page.accounts.map { .forAdministrators($0, of: tenant) }
        nextPageToken = page.nextToken
    }
}
