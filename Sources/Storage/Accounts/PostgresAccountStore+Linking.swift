public import Identity
internal import Postgres

/// Operations of administrators on identities and merges. Each transaction locks the rows of the accounts before it
/// changes their identities, so that transactions change the identities of an account one after the other.
extension PostgresAccountStore {
    public func apply(
        _ change: IdentityChange, ignoring linkOnly: Set<ProviderID>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> DatedIdentity {
        do {
            return try await retryingConflicts(where: { $0 as? StoreConflict == .taken(.email) }) { _ in
                try await withStoreErrors {
                    try await pool.transaction {
                        try await $0.apply(change, ignoring: linkOnly, recording: recording, at: now, in: realm)
                    }
                }
            }
        } catch StoreConflict.taken(.identity) {
            throw IdentityRefusal.identityTaken
        }
    }

    public func merge(
        _ merge: AccountMerge, roles: MergedRoles, recording: EventRecording, announcing notices: MergeNotices,
        in realm: ID<Realm>
    ) async throws -> Instant {
        do {
            return try await withStoreErrors {
                try await pool.transaction { transaction in
                    _ = try await transaction.apply(
                        merge, with: nil, roles: roles, recording: recording, announcing: notices, in: realm)
                    return merge.undoableUntil
                }
            }
        } catch StoreConflict.alreadyUsed {
            // A repeated request with the same merge token succeeds if the first one has merged the accounts.
            let row = try await withStoreErrors {
                try await pool.query(.mergeRecord(by: merge.precondition, in: realm))
            }
            .first
            guard let row else { throw StoreConflict.alreadyUsed }
            return Instant(try row.decode("undo_until"))
        }
    }

    public func undoMerge(
        of source: ID<Account>, allowsNoSignInMethod: Bool, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> ID<Account> {
        try await withStoreErrors {
            try await pool.transaction {
                try await $0.undoMerge(
                    of: source, allowsNoSignInMethod: allowsNoSignInMethod, recording: recording, at: now, in: realm)
            }
        }
    }
}
