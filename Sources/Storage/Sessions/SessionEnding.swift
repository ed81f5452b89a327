internal import FoundationEssentials
internal import Identity
internal import Postgres

extension Transaction {
    /// Ends the sessions that were opened through removed identities, so that an attacker who has linked an identity
    /// loses access. Also ends sessions whose identity was removed earlier. The method of such a session is the ID of
    /// an identity provider, which contains a dot; the IDs of other sign-in methods contain none.
    ///
    /// - Parameters:
    ///   - providers: the providers of the removed identities. Every one of `accounts` has lost these.
    ///   - excluded: a session that is not ended, usually that of the caller.
    func endSessions(
        of accounts: [ID<Account>], openedThrough providers: [ProviderID], except excluded: ID<Session>?,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        guard !providers.isEmpty else { return }
        // `OFFSET 0` keeps the planner from reading all identities once, instead of those of each session.
        let excluded = try excluded.map { try UUID($0) }
        _ = try await execute(
            """
            UPDATE session SET ended_at = \(Timestamp(now)),
                end_reason = \(SessionEndReason.signInMethodRemoved.rawValue)
            WHERE realm_id = \(realm.rawValue) AND account_id = ANY (\(accounts.map(\.rawValue)))
                AND (method = ANY (\(providers.map(\.rawValue))) OR method LIKE '%.%' AND NOT EXISTS (
                    SELECT FROM linked_identity l WHERE l.realm_id = session.realm_id
                        AND l.account_id = session.account_id AND l.provider = session.method OFFSET 0))
                AND id IS DISTINCT FROM \(excluded) AND ended_at IS NULL
            """)
    }
}

extension SQL {
    /// Deletes the sessions of generations before `generation`, which is the generation that has just ended. The
    /// sessions of `generation` are kept, so that the gateway can state why it rejects their tokens.
    static func deleteSessions(of account: ID<Account>, before generation: Int64, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM session WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND generation < \(generation)
        """
    }

    static func deleteSession(_ id: ID<Session>, in realm: ID<Realm>) throws -> SQL {
        "DELETE FROM session WHERE realm_id = \(realm.rawValue) AND id = \(try UUID(id))"
    }

    /// Deletes the email action codes of an account, except remedies: codes that recover an address, remove a sign-in
    /// method or undo a merge.
    static func deleteCodes(exceptRemediesOf account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> ALL (\(OOBCode.Purpose.remedies))
        """
    }

    /// Deletes the email action codes of an account, except codes that undo a merge. An undo code is for the owner of
    /// the merge's source, and restores only what came from the source.
    static func deleteCodes(exceptUndoCodesOf account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> \(OOBCode.Purpose.undoMerge.rawValue)
        """
    }
}

extension OOBCode.Purpose {
    /// The purposes of codes with which the owner reverses a change of the account.
    fileprivate static let remedies = allCases.filter(\.isRemedy).map(\.rawValue)
}
