internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// The common table expression `param`, which hides the project ID from the planner. A planner that knows the ID,
    /// but has outdated statistics, may expect a single account in the project. It then scans the whole project instead
    /// of looking up each account by an index.
    static func param(hidingFromPlanner realm: ID<Realm>) -> SQL {
        "param AS MATERIALIZED (SELECT \(realm.rawValue) AS realm_id)"
    }

    /// Finds the accounts that `references` name. Looks up each reference by an index: because the lateral subqueries
    /// have `LIMIT 1`, every plan reads the references before the tables.
    static func find(_ references: [AccountReference], in realm: ID<Realm>) -> SQL {
        let columns = ReferenceColumns(references)
        return """
            WITH \(param(hidingFromPlanner: realm)),
            found AS MATERIALIZED (
                SELECT unnest(\(columns.ids)) AS id
                UNION
                SELECT e.id FROM param CROSS JOIN unnest(\(columns.emails)) AS w (email) CROSS JOIN LATERAL (
                    SELECT id FROM account WHERE realm_id = param.realm_id AND email = w.email LIMIT 1) e
                UNION
                SELECT p.id FROM param CROSS JOIN unnest(\(columns.phoneNumbers)) AS w (phone_number)
                CROSS JOIN LATERAL (
                    SELECT id FROM account WHERE realm_id = param.realm_id AND phone_number = w.phone_number LIMIT 1) p
                UNION
                SELECT l.account_id FROM param
                CROSS JOIN unnest(\(columns.providers), \(columns.subjects)) AS w (provider, subject)
                CROSS JOIN LATERAL (
                    SELECT account_id FROM linked_identity
                    WHERE realm_id = param.realm_id AND provider = w.provider AND subject = w.subject LIMIT 1) l)
            SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM param CROSS JOIN found f
            CROSS JOIN LATERAL (SELECT * FROM account WHERE realm_id = param.realm_id AND id = f.id LIMIT 1) a
            """
    }

    /// Selects a page in the order of IDs. The inner query limits the reading of sessions and identities to the
    /// accounts of the page.
    static func page(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) -> SQL {
        let condition: SQL = if let id { "a.id > \(id.rawValue)" } else { "true" }
        return """
            SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM (
                SELECT * FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(condition)
                ORDER BY a.id LIMIT \(limit)) a
            ORDER BY a.id
            """
    }

    static func count(in realm: ID<Realm>) -> SQL {
        "SELECT count(*) AS count FROM account WHERE realm_id = \(realm.rawValue)"
    }

    /// Deletes an account and inserts its tombstone (a row that reserves the ID).
    static func delete(_ account: ID<Account>, by deletion: AccountDeletion, in realm: ID<Realm>) throws -> SQL {
        delete(account, recording: try record(deletion, of: "deleted"), now: deletion.deletedAt, in: realm)
    }

    /// Deletes the source of a merge (the account that is merged into another) and inserts its tombstone. Inserts no
    /// event of the account: the merge has one.
    static func deleteSource(
        _ source: ID<Account>, by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) throws -> SQL {
        let removedRoles = try auditRemovedRoles(of: "deleted", by: actor, at: now)
        return delete(source, recording: "removed_roles AS (\(removedRoles)),", now: now, in: realm)
    }

    private static func delete(
        _ account: ID<Account>, recording: SQL, now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH deleted AS (
            DELETE FROM account WHERE realm_id = \(realm.rawValue) AND id = \(account.rawValue)
            RETURNING realm_id, id, email),
        \(recording)
        \(deletionEffects(of: "deleted"))
        \(insertTombstones("deleted", at: now))
        """
    }

    /// Deletes several accounts and inserts their tombstones. Locks the accounts in the order of IDs, so that two
    /// concurrent deletions of the same accounts do not deadlock.
    ///
    /// - Parameter onlyDisabled: whether to keep accounts that are not disabled.
    /// - Returns: rows with the IDs of the kept accounts.
    static func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by deletion: AccountDeletion, in realm: ID<Realm>
    ) throws -> SQL {
        """
        WITH locked AS MATERIALIZED (
            SELECT id, disabled_at IS NULL AND \(onlyDisabled) AS is_kept FROM account
            WHERE realm_id = \(realm.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))
            ORDER BY id FOR UPDATE),
        deleted AS (
            DELETE FROM account a USING locked
            WHERE a.realm_id = \(realm.rawValue) AND a.id = locked.id AND NOT locked.is_kept
            RETURNING a.realm_id, a.id, a.email),
        \(try record(deletion, of: "deleted"))
        \(deletionEffects(of: "deleted")),
        tombstones AS (\(insertTombstones("deleted", at: deletion.deletedAt)))
        SELECT id FROM locked WHERE is_kept
        """
    }

    /// Common table expressions that delete the queued emails about the deleted accounts in `source`, or to their
    /// addresses. They also delete the email action codes that were sent to their addresses while no account had the
    /// address.
    ///
    /// Each condition on emails has its own expression, because a condition with `OR` would read the whole queue.
    static func deletionEffects(of source: SQL) -> SQL {
        """
        deleted_emails_about AS (
            DELETE FROM outgoing_email m USING \(source) d WHERE m.realm_id = d.realm_id AND m.account_id = d.id),
        deleted_emails_to AS (
            DELETE FROM outgoing_email m USING \(source) d WHERE m.realm_id = d.realm_id AND m.recipient = d.email),
        deleted_codes AS (
            DELETE FROM oob_code c USING \(source) d
            WHERE c.realm_id = d.realm_id AND c.email = d.email AND c.account_id IS NULL)
        """
    }

    /// Inserts tombstones for the accounts in `source`. An ID may already have a tombstone, if the account was created
    /// again during an earlier deletion.
    static func insertTombstones(_ source: SQL, at now: Instant) -> SQL {
        """
        INSERT INTO deleted_account (realm_id, id, deleted_at) SELECT realm_id, id, \(Timestamp(now)) FROM \(source)
        ON CONFLICT (realm_id, id) DO UPDATE SET deleted_at = excluded.deleted_at
        """
    }
}

/// References grouped by kind.
private struct ReferenceColumns {
    var ids: [String] = []
    var emails: [String] = []
    var phoneNumbers: [String] = []
    var providers: [String] = []
    var subjects: [String] = []

    init(_ references: [AccountReference]) {
        for reference in references {
            switch reference {
            case .id(let id): ids.append(id.rawValue)
            case .email(let email): emails.append(email.rawValue)
            case .phoneNumber(let number): phoneNumbers.append(number.rawValue)
            case .identity(let provider, let subject):
                providers.append(provider.rawValue)
                subjects.append(subject.rawValue)
            }
        }
    }
}
