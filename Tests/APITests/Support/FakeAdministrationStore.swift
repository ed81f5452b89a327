import Identity

/// Knows nobody. What administrators do is tested on PostgreSQL.
struct FakeAdministrationStore: AdministrationStore {
    func taken(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in project: ID<Realm>
    ) async throws -> Set<UniqueMember> { [] }

    func create(_ account: StoredAccount, by actor: AuditActor, in project: ID<Realm>) async throws -> Change {
        .done(account.account)
    }

    func find(_ references: [AccountReference], in project: ID<Realm>) async throws -> [Account] { [] }

    func change(
        _ account: ID<Account>, by change: AdministrativeChange, of actor: AuditActor, in project: ID<Realm>
    ) async throws -> Change { .unknown }

    func delete(
        _ account: ID<Account>, by actor: AuditActor, now: Instant, in project: ID<Realm>
    ) async throws -> Bool { false }

    func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by actor: AuditActor, now: Instant, in project: ID<Realm>
    ) async throws -> Set<ID<Account>> { [] }

    func page(after id: ID<Account>?, limit: Int, in project: ID<Realm>) async throws -> [Account] { [] }

    func count(in project: ID<Realm>) async throws -> Int { 0 }

    func store(
        _ accounts: [StoredAccount], overwrite: ImportOverwrite, by actor: AuditActor, now: Instant,
        in project: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] { [:] }
}
