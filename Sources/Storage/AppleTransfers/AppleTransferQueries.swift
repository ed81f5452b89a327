internal import Identity
internal import Postgres

/// Statements for the transfer of Apple identities to another developer team. A transfer subject is Apple's
/// `transfer_sub`: it connects a user's subject at the old team with the subject at the new team.
extension SQL {
    static func transferCounts(to team: String, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT count(*) AS all_count, count(*) FILTER (WHERE transfer_team = \(team)) AS exported,
            count(*) FILTER (WHERE transfer_team = \(team) AND transferred_at IS NOT NULL) AS imported,
            max(subject) AS page_end
        FROM (\(bySubject("subject, transfer_team, transferred_at", after: last, limit: limit, in: realm))) page
        """
    }

    /// Selects the identities that have no transfer subject for `team` yet.
    ///
    /// - Parameter limit: the maximum number of identities to read, including exported identities. If only waiting
    ///   identities counted, the statement could read all identities that an interrupted export has already exported.
    static func waitingForExport(to team: String, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        WITH page AS MATERIALIZED (
            \(bySubject("account_id, subject, audience, transfer_team", after: last, limit: limit, in: realm)))
        SELECT w.account_id, w.subject, NULL::text AS transfer_sub, w.audience, e.page_end
        FROM (SELECT max(subject) AS page_end FROM page) e LEFT JOIN page w ON w.transfer_team IS DISTINCT FROM \(team)
        ORDER BY w.subject
        """
    }

    /// Selects the identities that are exported to `team` and not imported.
    static func waitingForImport(
        to team: String, retryingRejected: Bool, after last: String, limit: Int, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH page AS MATERIALIZED (
            \(byTransferSubject(
                "account_id, subject, transfer_sub, audience, provider, transfer_team, transfer_error", after: last,
                limit: limit, in: realm)))
        SELECT w.account_id, w.subject, w.transfer_sub, w.audience, e.page_end
        FROM (SELECT max(transfer_sub) AS page_end FROM page) e
        LEFT JOIN page w ON w.provider = 'apple.com' AND w.transfer_team = \(team)
            AND (w.transfer_error IS NULL OR \(retryingRejected))
        ORDER BY w.transfer_sub
        """
    }

    /// Selects the identities whose import Apple has rejected.
    static func rejectedImports(to team: String, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        WITH page AS MATERIALIZED (
            \(byTransferSubject("account_id, transfer_sub, transfer_team, transfer_error", after: last, limit: limit, in: realm)))
        SELECT w.account_id, w.transfer_error, e.page_end
        FROM (SELECT max(transfer_sub) AS page_end FROM page) e
        LEFT JOIN page w ON w.transfer_team = \(team) AND w.transfer_error IS NOT NULL
        ORDER BY w.transfer_sub
        """
    }

    /// Selects a page of the Apple identities, in the order of subjects.
    private static func bySubject(_ columns: SQL, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(columns) FROM linked_identity
        WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com' AND subject > \(last)
        ORDER BY subject LIMIT \(limit)
        """
    }

    /// Selects a page of the identities that are exported and not imported, in the order of transfer subjects.
    private static func byTransferSubject(_ columns: SQL, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(columns) FROM linked_identity
        WHERE realm_id = \(realm.rawValue) AND transfer_sub > \(last) AND transferred_at IS NULL
        ORDER BY transfer_sub LIMIT \(limit)
        """
    }

    static func storeTransferSubjects(
        _ transferSubjects: [String: String], to team: String, in realm: ID<Realm>
    ) -> SQL {
        let ordered = transferSubjects.sorted { $0.key < $1.key }
        return """
            UPDATE linked_identity l SET transfer_sub = t.transfer_sub, transfer_team = \(team), transferred_at = NULL,
                transfer_error = NULL
            FROM unnest(\(ordered.map(\.key)), \(ordered.map(\.value))) AS t (subject, transfer_sub)
            WHERE l.realm_id = \(realm.rawValue) AND l.provider = 'apple.com' AND l.subject = t.subject
            """
    }

    /// - Parameter errors: Apple's error code for each transfer subject; `nil` removes a stored code.
    static func storeTransferErrors(_ errors: [String: String?], to team: String, in realm: ID<Realm>) -> SQL {
        let ordered = errors.sorted { $0.key < $1.key }
        return """
            UPDATE linked_identity l SET transfer_error = t.error
            FROM unnest(\(ordered.map(\.key)), \(ordered.map(\.value))) AS t (transfer_sub, error)
            WHERE l.realm_id = \(realm.rawValue) AND l.transfer_sub = t.transfer_sub AND l.transfer_team = \(team)
                AND l.transferred_at IS NULL
            """
    }

    /// Stores the new subject and the new address in the identity. Keeps the transfer subject and the team, so that the
    /// identity counts as imported and is not exported to this team again.
    static func rewriteIdentity(
        by transfer: IdentityTransfer, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        let email = transfer.email?.rawValue
        return """
            UPDATE linked_identity SET subject = \(transfer.subject), transferred_at = \(Timestamp(now)),
                transfer_error = NULL,
                email = coalesce(\(email), email),
                email_trust = CASE WHEN \(email != nil) THEN \(EmailTrust.authoritative.rawValue) ELSE email_trust END,
                is_private_email = CASE WHEN \(email != nil) THEN \(transfer.isPrivateEmail) ELSE is_private_email END,
                relay_forwarding = NULL, relay_forwarding_at = NULL
            WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(transfer.formerSubject)
                AND account_id = \(account.rawValue) AND transfer_sub = \(transfer.transferSubject)
                AND transferred_at IS NULL
            """
    }

    /// Stores the new subject in the grants (stored tokens of Apple), so that they still belong to the identity. Apple
    /// issued these tokens to the old team, and may therefore reject a revocation that is signed with the key of the
    /// new team.
    static func replaceSubjectInGrants(by transfer: IdentityTransfer, in realm: ID<Realm>) -> SQL {
        """
        UPDATE apple_grant SET subject = \(transfer.subject)
        WHERE realm_id = \(realm.rawValue) AND subject = \(transfer.formerSubject)
        """
    }

    /// Stores the new subject in email action codes, so that an emailed link that removes the identity stays valid.
    static func replaceSubjectInCodes(
        by transfer: IdentityTransfer, of account: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE oob_code SET subject = \(transfer.subject)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND provider = 'apple.com'
            AND subject = \(transfer.formerSubject)
        """
    }

    /// Stores the new subject in merge records, because undoing a merge finds the identity by its subject.
    static func replaceSubjectInMergeRecords(
        by transfer: IdentityTransfer, of account: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE account_merge SET snapshot = replace(snapshot::text, to_jsonb(\(transfer.formerSubject)::text)::text,
            to_jsonb(\(transfer.subject)::text)::text)::jsonb
        WHERE realm_id = \(realm.rawValue) AND target_id = \(account.rawValue)
        """
    }

    /// Counts the identities of one page that wait to be imported, by team. Identities whose import Apple has rejected
    /// are not counted. A team that has only such identities in the page still has a row, with the count 0. Thus every
    /// page has a row with its last transfer subject.
    static func waitingByTeam(after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        WITH page AS MATERIALIZED (
            \(byTransferSubject("transfer_sub, transfer_team, transfer_error", after: last, limit: limit, in: realm)))
        SELECT transfer_team, count(*) FILTER (WHERE transfer_error IS NULL) AS count, (SELECT max(transfer_sub) FROM page) AS page_end
        FROM page GROUP BY transfer_team
        """
    }

    /// Marks the credential state of a transferred identity as unknown, because Apple does not report the state to the
    /// new team before the user's next sign-in. A revoked state stays.
    static func markStateUnknown(of transfer: IdentityTransfer, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET credential_state = 'UNKNOWN'
        WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(transfer.subject)
            AND credential_state IN ('AUTHORIZED', 'TRANSFERRED')
        """
    }
}
