internal import FoundationEssentials
public import Identity
public import Postgres

/// ``EmailQueue`` on PostgreSQL. Row locks prevent two workers from claiming the same email.
public struct PostgresEmailQueue: EmailQueue {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func claim(limit: Int, lease: Duration, at now: Instant) async throws -> [QueuedEmail] {
        try await withStoreErrors { try await pool.query(.claim(limit: limit, until: now + lease, at: now)) }
            .compactMap(QueuedEmail.init)
    }

    public func storeResetCode(_ codeHash: [UInt8], of queued: QueuedEmail) async throws -> Bool {
        let statement = try SQL.storeResetCode(codeHash, of: queued)
        return try await withStoreErrors { try await pool.query(statement) }.first?.decode("is_bound") ?? false
    }

    public func isCodeStored(_ codeHash: [UInt8]) async throws -> Bool {
        let statement: SQL = "SELECT FROM oob_code WHERE hash = \(codeHash)"
        return try await !withStoreErrors { try await pool.query(statement) }.isEmpty
    }

    public func signInMethods(of email: EmailAddress, in realm: ID<Realm>) async throws -> [ProviderID]? {
        let rows = try await withStoreErrors { try await pool.query(.find([.email(email)], in: realm)) }
        return try rows.first.map { try AccountRow.account($0).signInMethods }
    }

    public func remove(_ email: ID<OutgoingEmail>) async throws {
        let id = try UUID(email)
        _ = try await withStoreErrors { try await pool.execute("DELETE FROM outgoing_email WHERE id = \(id)") }
    }

    public func postpone(_ email: ID<OutgoingEmail>, until due: Instant, failure: String) async throws {
        let id = try UUID(email)
        _ = try await withStoreErrors {
            try await pool.execute(
                "UPDATE outgoing_email SET due_at = \(Timestamp(due)), failure = \(failure) WHERE id = \(id)")
        }
    }

    public func giveUp(_ email: ID<OutgoingEmail>, failure: String, at now: Instant) async throws {
        let id = try UUID(email)
        _ = try await withStoreErrors {
            try await pool.execute(
                "UPDATE outgoing_email SET failed_at = \(Timestamp(now)), failure = \(failure) WHERE id = \(id)")
        }
    }

    /// Returns the number of emails that wait to be sent.
    public func waitingCount() async throws -> Int {
        let statement: SQL = "SELECT count(*) AS waiting FROM outgoing_email WHERE failed_at IS NULL"
        return try await withStoreErrors { try await pool.query(statement) }.first?.decode("waiting") ?? 0
    }
}

extension SQL {
    /// Claims due emails for a worker until `leaseEnd`. Also deletes up to 1000 expired emails that no worker has
    /// claimed.
    ///
    /// The common table expressions are evaluated once. Subqueries with `LIMIT` might be evaluated for each row of the
    /// table, and the statement would then claim more than `limit` emails. The identities with the address of an email
    /// are subqueries with `LIMIT`: instead of `EXISTS`, a plan can read the identities of all realms once.
    fileprivate static func claim(limit: Int, until leaseEnd: Instant, at now: Instant) -> SQL {
        """
        WITH expired AS MATERIALIZED (
            SELECT id FROM outgoing_email
            WHERE failed_at IS NULL AND due_at <= \(Timestamp(now)) AND expires_at <= \(Timestamp(now))
            LIMIT 1000 FOR UPDATE SKIP LOCKED),
        deleted AS (DELETE FROM outgoing_email e USING expired WHERE e.id = expired.id),
        due AS MATERIALIZED (
            SELECT id FROM outgoing_email
            WHERE failed_at IS NULL AND due_at <= \(Timestamp(now)) AND expires_at > \(Timestamp(now))
            ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        UPDATE outgoing_email e SET due_at = \(Timestamp(leaseEnd)), attempts = e.attempts + 1
        FROM due WHERE e.id = due.id
        RETURNING e.id, e.realm_id, e.kind, e.account_id, e.recipient, e.language, e.content, e.created_at,
            e.expires_at, e.attempts,
            (SELECT true FROM linked_identity l WHERE l.realm_id = e.realm_id
                AND l.email = e.recipient AND NOT l.relay_forwarding LIMIT 1) IS NOT NULL AS relay_is_stopped,
            e.kind = ANY (\(OutgoingEmail.Kind.allCases.filter(\.givesAccess).map(\.rawValue)))
                AND (SELECT true FROM linked_identity l WHERE l.realm_id = e.realm_id
                    AND l.email = e.recipient AND l.suspended_at IS NOT NULL LIMIT 1) IS NOT NULL
                    AS mailbox_is_suspended
        """
    }

    /// Inserts the code of a password reset for the account that has the recipient's address, and stores the account's
    /// ID in the row of the email. If the worker repeats the call, the stored ID prevents a second insertion of a code
    /// that was redeemed in the meantime.
    ///
    /// - Parameter codeHash: SHA-256 of the code.
    /// - Returns: a row that states whether the code can be sent.
    fileprivate static func storeResetCode(_ codeHash: [UInt8], of queued: QueuedEmail) throws -> SQL {
        let email = queued.email
        return """
            WITH unbound AS (
                SELECT id FROM outgoing_email WHERE id = \(try UUID(email.id)) AND account_id IS NULL FOR UPDATE
            ), holder AS (
                SELECT a.id, a.generation FROM account a, unbound
                WHERE a.realm_id = \(queued.realm.rawValue) AND a.email = \(email.recipient.rawValue)
            ), bound AS (
                INSERT INTO oob_code (hash, realm_id, purpose, account_id, generation, email, created_at, expires_at)
                SELECT \(codeHash), \(queued.realm.rawValue), \(OOBCode.Purpose.resetPassword.rawValue), h.id,
                    h.generation, \(email.recipient.rawValue), \(Timestamp(email.createdAt)),
                    \(Timestamp(email.expiresAt))
                FROM holder h ON CONFLICT DO NOTHING
            ), updated AS (
                UPDATE outgoing_email e SET account_id = h.id FROM holder h, unbound u WHERE e.id = u.id RETURNING e.id
            )
            SELECT EXISTS (SELECT FROM updated) OR EXISTS (SELECT FROM oob_code WHERE hash = \(codeHash)) AS is_bound
            """
    }
}

extension QueuedEmail {
    /// - Returns: `nil` if this release does not know the kind of email, or does not accept the recipient's address. A
    ///   process of a newer release may send such an email.
    fileprivate init?(_ row: Row) throws {
        guard let kind = OutgoingEmail.Kind(rawValue: try row.decode("kind")),
            let to = EmailAddress(try row.decode("recipient"))
        else { return nil }
        self.init(
            email: OutgoingEmail(
                id: ID(uuid: try row.decode("id")), kind: kind,
                account: try row.decode("account_id", as: String?.self).map { ID($0) }, recipient: to,
                language: try row.decode("language", as: String?.self).flatMap { Language(rawValue: $0) },
                content: try row.decode("content"),
                createdAt: Instant(try row.decode("created_at")), expiresAt: Instant(try row.decode("expires_at"))),
            realm: ID(try row.decode("realm_id")), attempts: try row.decode("attempts"),
            relayIsStopped: try row.decode("relay_is_stopped"),
            mailboxIsSuspended: try row.decode("mailbox_is_suspended"))
    }
}
