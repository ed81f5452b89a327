internal import FoundationEssentials
internal import Identity
internal import Postgres

/// What ends with the sessions, the identities or the address of an account.
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
    /// Deletes sessions that ended before the latest change of generation. Sessions that ended with it stay, to explain
    /// why their tokens are rejected.
    static func forgetSessions(of account: ID<Account>, before generation: Int64, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM session WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND generation < \(generation)
        """
    }

    /// Codes that sign in to an account or change it. Remedies stay.
    static func voidCodes(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> ALL (\(OOBCode.Purpose.remedies))
        """
    }

    /// Codes of an account, including remedies. A code that undoes a merge stays: it belongs to another account, and
    /// restores only what came from that account.
    static func voidEveryCode(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM oob_code WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND purpose <> \(OOBCode.Purpose.undoMerge.rawValue)
        """
    }

    /// Remedies of an account; see ``MailboxChange/VoidedRemedies``.
    static func void(
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
    static let remedies = allCases.filter(\.isRemedy).map(\.rawValue)
    /// Remedies of the account itself: without the code that undoes a merge, which belongs to the merged account.
    static let accountRemedies = [recoverEmail, removeSignInMethod].map(\.rawValue)
}
