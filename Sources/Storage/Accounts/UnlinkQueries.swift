internal import FoundationEssentials
internal import Identity
internal import Postgres

extension Transaction {
    /// Sessions that an intruder's identity opened do not outlive the identity. The caller's own session survives the
    /// removal of its identity, and ends with the next removal.
    ///
    /// - Parameters:
    ///   - providers: the providers whose identities each of the accounts has lost.
    ///   - survivor: a session that continues in any case.
    func endSessions(
        of accounts: [ID<Account>], openedThrough providers: [ProviderID], except survivor: ID<Session>?,
        at now: Instant,
        in realm: ID<Realm>
    ) async throws {
        guard !providers.isEmpty else { return }
        let survivor = try survivor.map { try UUID($0) }
        _ = try await execute(
            """
            UPDATE session SET ended_at = \(Timestamp(now))
            WHERE project_id = \(realm.rawValue) AND account_id = ANY (\(accounts.map(\.rawValue)))
                AND (method = ANY (\(providers.map(\.rawValue))) OR method LIKE '%.%' AND NOT EXISTS (
                    SELECT FROM linked_identity l WHERE l.project_id = session.project_id
                        AND l.account_id = session.account_id AND l.provider = session.method)) AND id IS DISTINCT FROM \(survivor) AND ended_at IS NULL
            """)
    }
}

extension SQL {
    /// - Returns: rows with the providers and subjects.
    static func unlink(_ providers: [ProviderID], from account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM linked_identity WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND provider = ANY (\(providers.map(\.rawValue)))
        RETURNING provider, subject
        """
    }
}
