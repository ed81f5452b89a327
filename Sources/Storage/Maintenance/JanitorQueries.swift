internal import FoundationEssentials
internal import Identity
internal import Postgres

/// The primary key of a session. Sessions are examined in its order.
struct SessionPosition {
    let realm: String
    let id: UUID

    init(_ row: Row) throws {
        realm = try row.decode("realm_id")
        id = try row.decode("id")
    }
}

/// The statements of the janitor, which deletes rows that are no longer needed. They skip rows that another transaction
/// has locked, except the statements that delete the providers, the password keys and the row of a deleted tenant.
extension SQL {
    /// Deletes at most `limit` rows.
    ///
    /// The common table expression is evaluated once. A subquery with `LIMIT` might be evaluated for each row of the
    /// table, and would then delete more rows.
    private static func deleteBatch(
        from table: SQL, key: [SQL], where condition: SQL, orderedBy order: SQL, limit: Int
    ) -> SQL {
        let columns = key.dropFirst().reduce(key[0]) { "\($0), \($1)" }
        let match = key.map { "t.\($0) = batch.\($0)" as SQL }
        return """
            WITH batch AS MATERIALIZED (
                SELECT \(columns) FROM \(table) WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
                FOR UPDATE SKIP LOCKED)
            DELETE FROM \(table) t USING batch WHERE \(match.dropFirst().reduce(match[0]) { "\($0) AND \($1)" })
            """
    }

    /// Deletes at most `limit` of the rows.
    static func delete(_ rows: ExpiringRows, limit: Int) -> SQL {
        let end = Timestamp(rows.end)
        let bound: SQL = rows.isDay ? "(\(end)::timestamptz AT TIME ZONE 'UTC')::date" : "\(end)"
        return deleteBatch(
            from: rows.table, key: rows.key, where: "\(rows.column) < \(bound) \(rows.condition)",
            orderedBy: rows.column, limit: limit)
    }

    /// Removes expired results, which contain tokens of providers. The rows stay, so that their `state` parameters
    /// cannot be used again.
    static func clearExpiredResults(before end: Instant, limit: Int) -> SQL {
        """
        WITH batch AS MATERIALIZED (
            SELECT state_hash FROM authorization_flow WHERE grant_expires_at < \(Timestamp(end))
            ORDER BY grant_expires_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        UPDATE authorization_flow f SET result = NULL, app_id = NULL, grant_hash = NULL, session_hash = NULL,
            grant_expires_at = NULL
        FROM batch WHERE f.state_hash = batch.state_hash
        """
    }

    /// The only statement that deletes audit events; no statement changes them. The function does not call
    /// `deleteBatch`, because a test searches the source code for statements that delete or change audit events.
    static func deleteExpiredAuditEvents(before end: Instant, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        WITH batch AS MATERIALIZED (
            SELECT id FROM audit_event WHERE realm_id = \(realm.rawValue) AND occurred_at < \(Timestamp(end))
            ORDER BY occurred_at, id LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        DELETE FROM audit_event t USING batch WHERE t.id = batch.id
        """
    }

    /// Selects the deleted projects and tenants that have rows to delete, or whose own row can be deleted. Excludes
    /// those of which only audit events remain, because these may be kept for years. A deleted project has no
    /// listeners.
    static func deletedRealms(limit: Int) -> SQL {
        """
        SELECT r.id, CASE WHEN p.deleted_at IS NULL THEN p.event_kinds ELSE '{}' END AS event_kinds FROM \(realmsWithProjects) WHERE r.deleted_at IS NOT NULL AND (
            \(hasRows(["account", "deleted_account", "password_key"], "r")) OR \(hasEvents("r"))
            OR EXISTS (SELECT FROM identity_provider p WHERE p.realm_id = r.id AND \(secretIsUnused("p")))
            OR NOT (\(hasRows(["identity_provider"], "r"))) AND \(hasNoAuditEvents("r")) AND \(hasNoTenants("r")))
        ORDER BY r.deleted_at LIMIT \(limit)
        """
    }

    private static func hasRows(_ tables: [SQL], _ realm: SQL) -> SQL {
        tables.map { "EXISTS (SELECT FROM \($0) WHERE realm_id = \(realm).id)" as SQL }
            .reduce("false") { "\($0) OR \($1)" }
    }

    private static func hasEvents(_ realm: SQL) -> SQL {
        "EXISTS (SELECT FROM account_event WHERE project_id = \(realm).id)"
    }

    private static func hasNoAuditEvents(_ realm: SQL) -> SQL {
        "NOT EXISTS (SELECT FROM audit_event WHERE realm_id = \(realm).id)"
    }

    /// A deleted project keeps its row as long as a tenant does: the deletion of its row would delete those of its
    /// tenants, and their audit events would never expire.
    private static func hasNoTenants(_ realm: SQL) -> SQL {
        "NOT EXISTS (SELECT FROM realm t WHERE t.parent_id = \(realm).id)"
    }

    static func deleteUnusedProviders(of realm: ID<Realm>) -> SQL {
        "DELETE FROM identity_provider p WHERE p.realm_id = \(realm.rawValue) AND \(secretIsUnused("p"))"
    }

    /// A condition: a provider's secret is no longer needed. Apple's private key is needed as long as the realm has
    /// Apple tokens that must be revoked with it, including the tokens of accounts that are not deleted yet. Each kind
    /// of token has an index, and the `ORDER BY` makes the planner use it. Otherwise the planner would read the whole
    /// table, because it expects to find a token soon.
    private static func secretIsUnused(_ provider: SQL) -> SQL {
        let kinds: [(condition: SQL, order: SQL)] = [
            ("g.state IN ('AUTHORIZED', 'REVOKED', 'UNKNOWN')", "g.subject"),
            ("g.state = 'REVOKING' AND g.token_type <> 'CODE'", "g.client_id"),
            ("(g.token_type = 'CODE' OR g.state = 'REDEEMING')", "g.due_at"),
        ]
        let unused: SQL = kinds.map { kind -> SQL in
            """
            (SELECT 1 FROM apple_grant g WHERE \(kind.condition) AND g.realm_id = \(provider).realm_id
                AND g.token IS NOT NULL ORDER BY \(kind.order) LIMIT 1) IS NULL
            """
        }.reduce("true") { "\($0) AND \($1)" as SQL }
        return "(\(provider).provider <> 'apple.com' OR \(unused))"
    }

    static func deletePasswordKeys(of realm: ID<Realm>) -> SQL {
        "DELETE FROM password_key WHERE realm_id = \(realm.rawValue)"
    }

    /// Deletes accounts with all rows that belong to them. Emails and email action codes for addresses that no account
    /// has are not deleted, because they expire soon.
    static func deleteAccounts(of realm: ID<Realm>, by deletion: AccountDeletion, limit: Int) throws -> SQL {
        """
        WITH batch AS MATERIALIZED (
            SELECT id FROM account WHERE realm_id = \(realm.rawValue) LIMIT \(limit) FOR UPDATE SKIP LOCKED),
        deleted AS (
            DELETE FROM account a USING batch WHERE a.realm_id = \(realm.rawValue) AND a.id = batch.id
            RETURNING a.realm_id, a.id, a.email),
        \(try record(deletion, of: "deleted"))
        \(deletionEffects(of: "deleted"))
        SELECT FROM deleted
        """
    }

    static func deleteTombstones(of realm: ID<Realm>, limit: Int) -> SQL {
        deleteBatch(
            from: "deleted_account", key: ["realm_id", "id"], where: "realm_id = \(realm.rawValue)",
            orderedBy: "id", limit: limit)
    }

    static func deleteEvents(of realm: ID<Realm>, limit: Int) -> SQL {
        deleteBatch(
            from: "account_event", key: ["project_id", "sequence"], where: "project_id = \(realm.rawValue)",
            orderedBy: "sequence", limit: limit)
    }

    /// Deletes the row of a project or tenant that was deleted before `end`, if no other rows of it are left. The row
    /// of one that was deleted later is kept, because replicas with a cached configuration may still create accounts
    /// shortly after the deletion.
    static func deleteRealmIfEmpty(_ realm: ID<Realm>, before end: Instant) -> SQL {
        """
        DELETE FROM realm r WHERE r.id = \(realm.rawValue) AND r.deleted_at < \(Timestamp(end))
            AND NOT (\(hasRows(["account", "deleted_account", "identity_provider", "password_key"], "r")))
            AND NOT \(hasEvents("r")) AND \(hasNoAuditEvents("r")) AND \(hasNoTenants("r"))
        """
    }

    /// Examines the sessions after `position`, and deletes those that have ended.
    ///
    /// - Parameters:
    ///   - end: an ended session is kept if its last refresh was at or after this time.
    ///   - realms: ended sessions of anonymous accounts in these realms are kept.
    /// - Returns: a row with the primary key of the last examined session, the number of examined sessions (`seen`),
    ///   and the number of deleted sessions (`removed`).
    static func deleteEndedSessions(
        after position: SessionPosition?, limit: Int, before end: Instant, exceptAnonymousOf realms: [String]
    ) -> SQL {
        let beyond: SQL =
            if let position { "WHERE (s.realm_id, s.id) > (\(position.realm), \(position.id))" } else { "" }
        return """
            WITH page AS MATERIALIZED (
                SELECT s.realm_id, s.id FROM session s \(beyond) ORDER BY s.realm_id, s.id LIMIT \(limit)),
            ended AS MATERIALIZED (
                SELECT s.realm_id, s.id FROM page p JOIN session s USING (realm_id, id)
                JOIN account a ON a.realm_id = s.realm_id AND a.id = s.account_id
                WHERE s.refreshed_at < \(Timestamp(end)) AND (s.ended_at IS NOT NULL OR s.generation < a.generation)
                    AND NOT (s.method = \(ProviderID.anonymous.rawValue) AND \(hasNoSignInMethod("a"))
                        AND s.realm_id = ANY (\(realms)))
                FOR UPDATE OF s SKIP LOCKED),
            deleted AS (
                DELETE FROM session s USING ended e WHERE s.realm_id = e.realm_id AND s.id = e.id RETURNING 1)
            SELECT p.realm_id, p.id, (SELECT count(*) FROM page) AS seen, (SELECT count(*) FROM deleted) AS removed
            FROM page p ORDER BY p.realm_id DESC, p.id DESC LIMIT 1
            """
    }

    /// Examines the accounts of a realm whose IDs follow `account`. Deletes those that were created anonymously, have
    /// no sign-in method, and are unused.
    ///
    /// - Parameter end: an account is unused if its last sign-in and its last token refresh were before this time.
    /// - Returns: a row with the ID of the last examined account, the number of examined accounts (`seen`), and the
    ///   number of deleted accounts (`removed`).
    static func deleteUnusedAccounts(
        after account: String, limit: Int, before end: Instant, by deletion: AccountDeletion, in realm: ID<Realm>
    ) throws -> SQL {
        """
        WITH page AS MATERIALIZED (
            SELECT a.id FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id > \(account)
            ORDER BY a.id LIMIT \(limit)),
        unused AS MATERIALIZED (
            SELECT a.id FROM page p JOIN account a ON a.realm_id = \(realm.rawValue) AND a.id = p.id
            WHERE \(hasNoSignInMethod("a")) AND a.last_sign_in_at < \(Timestamp(end))
                AND NOT EXISTS (SELECT FROM linked_identity l
                    WHERE l.realm_id = a.realm_id AND l.account_id = a.id)
                AND EXISTS (SELECT FROM session s WHERE s.realm_id = a.realm_id AND s.account_id = a.id
                    AND s.method = \(ProviderID.anonymous.rawValue))
                AND NOT EXISTS (SELECT FROM session s WHERE s.realm_id = a.realm_id AND s.account_id = a.id
                    AND s.refreshed_at >= \(Timestamp(end)))
            ORDER BY a.id FOR UPDATE OF a SKIP LOCKED),
        deleted AS (
            DELETE FROM account a USING unused u WHERE a.realm_id = \(realm.rawValue) AND a.id = u.id
            RETURNING a.realm_id, a.id, a.email),
        \(try record(deletion, of: "deleted"))
        \(deletionEffects(of: "deleted")),
        tombstones AS (\(insertTombstones("deleted", at: deletion.deletedAt)))
        SELECT p.id, (SELECT count(*) FROM page) AS seen, (SELECT count(*) FROM deleted) AS removed
        FROM page p ORDER BY p.id DESC LIMIT 1
        """
    }

    /// A condition: the account's row contains no sign-in method. Identities are in another table, and are not checked.
    private static func hasNoSignInMethod(_ account: SQL) -> SQL {
        """
        \(account).email IS NULL AND \(account).phone_number IS NULL AND \(account).password_hash IS NULL \
        AND \(account).passkey_count = 0 AND NOT \(account).custom_auth AND NOT \(account).email_link_sign_in
        """
    }
}
