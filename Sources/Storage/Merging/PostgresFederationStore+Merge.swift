public import Identity
internal import Postgres

extension PostgresFederationStore {
    public func hasRecoveryCode(
        _ account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !reaching { try await pool.query(.recoveries(of: [account], at: now, in: realm)) }.isEmpty
    }

    public func merge(
        _ merge: AccountMerge, entering entry: MergeCommit, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> Entered {
        do {
            return try await reaching {
                try await pool.transaction { transaction in
                    let target = try await transaction.carryOut(
                        merge, signsIn: true, by: .user(entry.trace), announcing: notices, in: realm)
                    let session = Session(
                        id: entry.session, account: target.id, generation: target.generation, method: entry.method,
                        authenticatedAt: merge.mergedAt, device: entry.device,
                        place: entry.place)
                    _ = try await transaction.execute(
                        .opening(try SessionRow(session), in: realm, from: "(VALUES (1)) v"))
                    return .done(target, session)
                }
            }
        } catch is Stale {
            return .stale
        } catch let error as PostgresError where error.uniqueViolation == "replay_guard_pkey" {
            return .used
        }
    }
}
