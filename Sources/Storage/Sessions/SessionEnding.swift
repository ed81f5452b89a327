internal import FoundationEssentials
internal import Identity
internal import Postgres

extension Transaction {
    /// Ends the sessions of removed identities, so that an attacker who has linked an identity loses access. Also ends
    /// sessions whose identity was removed earlier: their method contains a dot, as only the IDs of identity providers
    /// do.
    ///
    /// - Parameters:
    ///   - providers: the providers whose identities each of the accounts has lost.
    ///   - excluded: a session that is not ended, usually that of the caller.
    func endSessions(
        of accounts: [ID<Account>], openedThrough providers: [ProviderID], except excluded: ID<Session>?,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        guard !providers.isEmpty else { return }
        let excluded = try excluded.map { try UUID($0) }
        _ = try await execute(
            """
            UPDATE session SET ended_at = \(Timestamp(now))
            WHERE project_id = \(realm.rawValue) AND account_id = ANY (\(accounts.map(\.rawValue)))
                AND (method = ANY (\(providers.map(\.rawValue))) OR method LIKE '%.%' AND NOT EXISTS (
                    SELECT FROM linked_identity l WHERE l.project_id = session.project_id
                        AND l.account_id = session.account_id AND l.provider = session.method))
                AND id IS DISTINCT FROM \(excluded) AND ended_at IS NULL
            """)
    }
}

extension SQL {
    /// Deletes the sessions of generations before `generation`. The sessions of `generation` itself, which have just
    /// ended, are kept, so that the response to their tokens can state the reason.
    static func deleteSessions(of account: ID<Account>, before generation: Int64, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM session WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND generation < \(generation)
        """
    }

    /// Deletes codes that sign in to an account or change it, except remedies: codes that recover an address, remove a
    /// sign-in method or undo a merge.
    static func voidCodes(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> ALL (\(OOBCode.Purpose.remedies))
        """
    }

    /// Deletes the codes of an account, including remedies, but not codes that undo a merge: these are for the owner of
    /// the merge's source, and restore only what came from the source.
    static func voidCodesAndRemedies(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> \(OOBCode.Purpose.undoMerge.rawValue)
        """
    }

    /// Deletes remedies of an account; see ``MailboxChange/VoidedRemedies``.
    static func voidRemedies(
        _ remedies: MailboxChange.VoidedRemedies, of account: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        let all: SQL = """
            c.project_id = \(realm.rawValue) AND c.account_id = \(account.rawValue) \
            AND c.purpose = ANY (\(OOBCode.Purpose.accountRemedies))
            """
        guard case .proven(let email, let createdAt, let addedSince) = remedies else {
            return "DELETE FROM oob_code c WHERE \(all)"
        }
        return """
            DELETE FROM oob_code c WHERE \(all)
                AND c.created_at >= (SELECT least(\(createdAt.map { Timestamp($0) }), min(c.created_at)) FROM oob_code c
                    WHERE \(all) AND c.email = \(email.rawValue))
                AND (c.email <> \(email.rawValue) OR c.added_at IS NULL OR c.added_at >= \(Timestamp(addedSince)))
            """
    }
}

extension OOBCode.Purpose {
    /// Codes that let the owner reverse a change of the account.
    static let remedies = allCases.filter(\.isRemedy).map(\.rawValue)
    /// The remedies except codes that undo a merge, which are for the owner of the merge's source.
    static let accountRemedies = [recoverEmail, removeSignInMethod].map(\.rawValue)
}
