public import Identity
public import Postgres

/// ``LinkingStore`` on PostgreSQL. Rows of accounts are locked first, so that what they are linked to changes for one at
/// a time.
public struct PostgresLinkingStore: LinkingStore {
    /// Somebody else may take an address between the look and the change; then everything is tried again.
    private static let attempts = 5

    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func identities(of account: ID<Account>, in realm: ID<Realm>) async throws -> [DatedIdentity]? {
        try await reaching { try await pool.transaction { try await $0.identities(of: account, in: realm) } }
    }

    public func accounts(_ ids: [ID<Account>], in realm: ID<Realm>) async throws -> [Account] {
        try await reaching { try await pool.query(.find(ids.map { .id($0) }, in: realm)) }
            .map { try AccountRow.account($0) }
    }

    public func carryOut(
        _ change: IdentityChange, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> DatedIdentity {
        for _ in 0..<Self.attempts {
            do {
                return try await reaching {
                    try await pool.transaction { try await $0.carryOut(change, by: actor, at: now, in: realm) }
                }
            } catch let error as PostgresError where error.takenMember == .identity {
                throw IdentityRefusal.identityTaken
            } catch let error as PostgresError where error.takenMember == .email {
                continue
            }
        }
        throw StoreUnavailable(reason: "others keep taking the address")
    }

    public func merge(
        _ merge: AccountMerge, by actor: AuditActor, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> MergeOutcome {
        do {
            return try await reaching {
                try await pool.transaction { transaction in
                    _ = try await transaction.carryOut(
                        merge, signsIn: false, by: actor, announcing: notices, in: realm)
                    return .done(undoableUntil: merge.undoableUntil)
                }
            }
        } catch is Stale {
            return .stale
        } catch let error as PostgresError where error.uniqueViolation == "replay_guard_pkey" {
            let row = try await reaching { try await pool.query(.keptMerge(by: merge.terms, in: realm)) }.first
            return .used(stillUndoableUntil: try row.map { Instant(try $0.decode("undo_until")) })
        }
    }

    public func undoMerge(
        of source: ID<Account>, leavesNoWayIn: Bool, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> ID<Account> {
        do {
            return try await reaching {
                try await pool.transaction {
                    try await $0.undoMerge(
                        of: source, leavesNoWayIn: leavesNoWayIn, by: actor, at: now, in: realm)
                }
            }
        } catch let error as PostgresError {
            guard let member = error.takenMember else { throw error }
            throw UndoRefusal.taken(member)
        }
    }
}
