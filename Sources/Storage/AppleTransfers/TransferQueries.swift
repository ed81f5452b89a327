internal import Identity
internal import Postgres

extension SQL {
    static func transferCounts(to team: String, in realm: ID<Realm>) -> SQL {
        """
        SELECT count(*) AS all_count, count(*) FILTER (WHERE transfer_team = \(team)) AS exported,
            count(*) FILTER (WHERE transfer_team = \(team) AND transferred_at IS NOT NULL) AS imported
        FROM linked_identity WHERE project_id = \(realm.rawValue) AND provider = 'apple.com'
        """
    }

    static func waitingForExport(to team: String, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT account_id, subject, NULL::text AS transfer_sub, audience FROM linked_identity
        WHERE project_id = \(realm.rawValue) AND provider = 'apple.com' AND subject > \(last)
            AND transfer_team IS DISTINCT FROM \(team)
        ORDER BY subject LIMIT \(limit)
        """
    }

    static func waitingForImport(to team: String, after last: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT account_id, subject, transfer_sub, audience FROM linked_identity
        WHERE project_id = \(realm.rawValue) AND transfer_sub > \(last) AND transferred_at IS NULL
            AND provider = 'apple.com' AND transfer_team = \(team)
        ORDER BY transfer_sub LIMIT \(limit)
        """
    }

    static func keepTransferSubjects(
        _ transferSubjects: [String: String], to team: String, in realm: ID<Realm>
    ) -> SQL {
        let ordered = transferSubjects.sorted { $0.key < $1.key }
        return """
            UPDATE linked_identity l SET transfer_sub = t.transfer_sub, transfer_team = \(team), transferred_at = NULL
            FROM unnest(\(ordered.map(\.key)), \(ordered.map(\.value))) AS t (subject, transfer_sub)
            WHERE l.project_id = \(realm.rawValue) AND l.provider = 'apple.com' AND l.subject = t.subject
            """
    }

    /// The transfer subject stays, so that the transfer is counted and not repeated.
    static func rewrite(
        _ transfer: IdentityTransfer, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        let email = transfer.email?.rawValue
        return """
            UPDATE linked_identity SET subject = \(transfer.subject), transferred_at = \(Timestamp(now)),
                email = coalesce(\(email), email),
                email_trust = CASE WHEN \(email != nil) THEN \(EmailTrust.authoritative.rawValue) ELSE email_trust END,
                is_private_email = CASE WHEN \(email != nil) THEN \(transfer.isPrivateEmail) ELSE is_private_email END
            WHERE project_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(transfer.formerSubject)
                AND account_id = \(account.rawValue) AND transfer_sub = \(transfer.transferSubject)
                AND transferred_at IS NULL
            """
    }

    /// The tokens belong to the old team. They are still revoked at a deletion, if the old key is still known to Apple.
    static func moveGrants(of transfer: IdentityTransfer, in realm: ID<Realm>) -> SQL {
        """
        UPDATE apple_grant SET subject = \(transfer.subject)
        WHERE project_id = \(realm.rawValue) AND subject = \(transfer.formerSubject)
        """
    }

    /// A link that removes the identity keeps working.
    static func moveCodes(of transfer: IdentityTransfer, _ account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE oob_code SET subject = \(transfer.subject)
        WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND provider = 'apple.com'
            AND subject = \(transfer.formerSubject)
        """
    }

    /// Undoing a merge into the account moves the identity back by its new subject.
    static func moveMergeRecords(of transfer: IdentityTransfer, _ account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE account_merge SET snapshot = replace(snapshot::text, to_jsonb(\(transfer.formerSubject)::text)::text,
            to_jsonb(\(transfer.subject)::text)::text)::jsonb
        WHERE project_id = \(realm.rawValue) AND target_id = \(account.rawValue)
        """
    }

    static func waitingByTeam(in realm: ID<Realm>) -> SQL {
        """
        SELECT transfer_team, count(*) AS count FROM linked_identity
        WHERE project_id = \(realm.rawValue) AND transfer_sub IS NOT NULL AND transferred_at IS NULL
        GROUP BY transfer_team
        """
    }

    /// Apple says nothing of the person to the new team before the next sign-in.
    static func forgetCredentialState(of transfer: IdentityTransfer, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET credential_state = 'UNKNOWN'
        WHERE project_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(transfer.subject)
            AND credential_state IN ('AUTHORIZED', 'TRANSFERRED')
        """
    }
}
