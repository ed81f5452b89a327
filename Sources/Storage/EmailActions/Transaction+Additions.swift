internal import Identity
internal import Postgres

extension Transaction {
    /// Removes additions from an account, which the caller has locked. The telephone number is in the account's row,
    /// whose update removes it.
    ///
    /// - Returns: the providers of the unlinked identities.
    func remove(
        _ additions: Additions, from account: Account, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> [ProviderID] {
        let since = additions.since
        if additions.kinds.contains(.factors) {
            try await removeFactors(of: account, enrolledSince: since, recording: recording, at: now, in: realm)
        }
        if additions.kinds.contains(.passkeys) {
            try await removePasskeys(
                of: account.id, .added(since: since), recording: recording, at: now, in: realm)
        }
        guard additions.kinds.contains(.identities) else { return [] }
        return try await query(.unlink(from: account.id, linkedSince: since, in: realm))
            .map { ProviderID(try $0.decode("provider")) }
    }
}
