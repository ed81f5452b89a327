import Identity

/// Knows nobody. What administrators do is tested on PostgreSQL.
struct FakeLinkingStore: LinkingStore {
    func identities(of account: ID<Account>, in project: ID<Realm>) async throws -> [DatedIdentity]? { nil }

    func carryOut(
        _ change: IdentityChange, by actor: AuditActor, at now: Instant, in project: ID<Realm>
    ) async throws -> DatedIdentity { throw IdentityRefusal.accountUnknown }

    func accounts(_ ids: [ID<Account>], in project: ID<Realm>) async throws -> [Account] { [] }

    func merge(
        _ merge: AccountMerge, by actor: AuditActor, announcing notices: MergeNotices, in project: ID<Realm>
    ) async throws -> MergeOutcome { .stale }

    func undoMerge(
        of source: ID<Account>, leavesNoWayIn: Bool, by actor: AuditActor, at now: Instant, in project: ID<Realm>
    ) async throws -> ID<Account> { throw UndoRefusal.unknown }
}
