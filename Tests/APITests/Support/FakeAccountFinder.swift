import Identity

/// Finds nobody. What administrators do is tested on PostgreSQL.
struct FakeAccountFinder: AccountFinder {
    func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in project: ID<Realm>
    ) async throws -> [Account] { [] }

    func page(
        beginningWith prefix: IDPrefix, besides names: AccountNames, after id: ID<Account>?, limit: Int,
        in project: ID<Realm>
    ) async throws -> [Account] { [] }
}
