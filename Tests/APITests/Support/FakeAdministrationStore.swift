import Identity

/// Knows nobody. What administrators do is tested on PostgreSQL.
struct FakeAdministrationStore: AdministrationStore {
    func taken(
        id: ID<Account>?, email: Email?, phoneNumber: PhoneNumber?, in project: ID<Project>
    ) async throws -> Set<UniqueMember> { [] }

    func create(_ account: StoredAccount, in project: ID<Project>) async throws -> Change { .done(account.account) }

    func find(_ references: [AccountReference], in project: ID<Project>) async throws -> [Account] { [] }

    func change(
        _ account: ID<Account>, by change: AdministrativeChange, in project: ID<Project>
    ) async throws -> Change { .unknown }

    func delete(_ account: ID<Account>, now: Instant, in project: ID<Project>) async throws -> Bool { false }

    func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, now: Instant, in project: ID<Project>
    ) async throws -> Set<ID<Account>> { [] }

    func page(
        after id: ID<Account>?, skipping count: Int, limit: Int, descending: Bool, in project: ID<Project>
    ) async throws -> [Account] { [] }

    func count(in project: ID<Project>) async throws -> Int { 0 }

    func store(
        _ accounts: [StoredAccount], overwriting: Bool, now: Instant, in project: ID<Project>
    ) async throws -> [ID<Account>: UniqueMember] { [:] }
}
