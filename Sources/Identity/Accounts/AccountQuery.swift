/// Finds accounts whose IDs the backend does not know.
public struct AccountQueryService: Sendable {
    private let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    public struct Page: Sendable {
        public let accounts: [Account]
        /// The last entry of this page, if there may be another page.
        public let last: ID<Account>?
    }

    /// - Throws: ``QueryRefusal``.
    public func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in project: Project
    ) async throws -> [Account] {
        try await store.page(by: order, skipping: count, limit: limit, in: project.realm)
    }

    /// Returns accounts whose IDs begin with `text`, at most `limit`. The first page begins with the accounts whose
    /// address or phone number is `text`; they do not count toward `limit`.
    public func search(
        _ text: String, after id: ID<Account>?, limit: Int, in project: Project
    ) async throws -> Page {
        let names = ContactIdentifiers(text)
        let isFirst = id == nil
        let named =
            isFirst && !names.references.isEmpty ? try await store.find(names.references, in: project.realm) : []
        guard let prefix = IDPrefix(text) else { return Page(accounts: named, last: nil) }
        let others = try await store.page(
            beginningWith: prefix, besides: names, after: id, limit: limit, in: project.realm)
        return Page(accounts: named + others, last: others.count == limit ? others.last?.id : nil)
    }

    /// Returns accounts with an Apple identity whose `real_user_status` is `status`.
    public func search(
        realUserStatus status: Int, after id: ID<Account>?, limit: Int, in project: Project
    ) async throws -> Page {
        let accounts = try await store.page(realUserStatus: status, after: id, limit: limit, in: project.realm)
        return Page(accounts: accounts, last: accounts.count == limit ? accounts.last?.id : nil)
    }
}
