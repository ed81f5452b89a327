internal import FoundationEssentials
public import Identity
public import Postgres

/// The queue of text messages. Row locks prevent two workers from claiming the same message.
public struct PostgresSMSQueue: Sendable {
    /// A message that a worker has claimed.
    public struct Claimed: Sendable {
        public let id: ID<OutgoingSMS>
        public let realm: ID<Realm>
        /// The encrypted content.
        public let content: [UInt8]
        /// Attempts so far, including the current one.
        public let attempts: Int
        public let createdAt: Instant
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Claims messages that are due. A claim counts as an attempt. If the process ends during it, another worker
    /// repeats it after `lease`, but only if the sender recognises a repeated message.
    ///
    /// Messages that have expired, or had all attempts, fail.
    ///
    /// - Parameter busy: projects whose messages are not claimed.
    public func claim(
        limit: Int, lease: Duration, exceptOf busy: [ID<Project>] = [], at now: Instant
    ) async throws -> [Claimed] {
        let time = Timestamp(now)
        let (end, attempts) = (Timestamp(now + lease), OutgoingSMS.attemptDelays.count)
        return try await withStoreErrors {
            try await pool.query(
                """
                WITH expired AS MATERIALIZED (
                    SELECT realm_id, id FROM outgoing_sms
                    WHERE failed_at IS NULL AND (expires_at <= \(time) OR due_at <= \(time) AND attempts >= \(attempts))
                    LIMIT 1000 FOR UPDATE SKIP LOCKED),
                failed AS (
                    UPDATE outgoing_sms m SET failed_at = \(time), content = NULL,
                        failure = coalesce(m.failure, 'not sent in time')
                    FROM expired e WHERE m.realm_id = e.realm_id AND m.id = e.id),
                due AS MATERIALIZED (
                    SELECT realm_id, id FROM outgoing_sms
                    WHERE failed_at IS NULL AND due_at <= \(time) AND expires_at > \(time)
                        AND attempts < \(attempts)
                        AND \(SQL.projectOfRow) <> ALL (\(busy.map(\.rawValue)))
                    ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
                UPDATE outgoing_sms m SET attempts = m.attempts + 1,
                    due_at = CASE WHEN m.is_idempotent THEN \(end) ELSE 'infinity' END
                FROM due WHERE m.realm_id = due.realm_id AND m.id = due.id
                RETURNING m.realm_id, m.id, m.content, m.attempts, m.created_at
                """)
        }.map { row in
            Claimed(
                id: ID(uuid: try row.decode("id")), realm: ID(try row.decode("realm_id")),
                content: try row.decode("content"), attempts: try row.decode("attempts", as: Int.self),
                createdAt: Instant(try row.decode("created_at")))
        }
    }

    /// Returns the largest share of a project's budget that its messages of today have used; 0 if there are none.
    ///
    /// - Parameter budget: the budget of a project that sets none.
    public func usedShareOfBudget(defaultBudget budget: Int, at now: Instant) async throws -> Double {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT coalesce(max(u.sent::float8
                    / greatest(coalesce((r.sms_settings ->> 'budgetPerDay')::bigint, \(budget)), 1)), 0) AS share
                FROM sms_usage u JOIN realm r ON r.id = u.realm_id
                WHERE u.calling_code = '' AND u.day = (\(Timestamp(now))::timestamptz AT TIME ZONE 'UTC')::date
                """)
        }
        return try rows.first?.decode("share") ?? 0
    }

    /// Deletes a message that was accepted.
    public func remove(_ message: Claimed) async throws {
        let id = try UUID(message.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                "DELETE FROM outgoing_sms WHERE realm_id = \(message.realm.rawValue) AND id = \(id)")
        }
    }

    /// - Parameter failure: the reason, without any number.
    public func postpone(_ message: Claimed, until due: Instant, failure: String) async throws {
        let id = try UUID(message.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE outgoing_sms SET due_at = \(Timestamp(due)), failure = \(failure)
                WHERE realm_id = \(message.realm.rawValue) AND id = \(id)
                """)
        }
    }

    /// Marks the message as failed, and deletes its content.
    public func giveUp(_ message: Claimed, failure: String, at now: Instant) async throws {
        let id = try UUID(message.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE outgoing_sms SET failed_at = \(Timestamp(now)), failure = \(failure), content = NULL
                WHERE realm_id = \(message.realm.rawValue) AND id = \(id)
                """)
        }
    }
}

/// The encrypted contents of waiting messages, and the secrets of senders, for encryption with a new master key.
public struct EncryptedSMS: Sendable {
    /// A message with its encrypted content.
    public struct Stored: Sendable {
        public let realm: ID<Realm>
        public let id: ID<OutgoingSMS>
        public let content: [UInt8]
    }

    /// The encrypted secret of a project's sender.
    public struct StoredSecret: Sendable {
        public let project: ID<Project>
        public let sealed: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns at most `limit` messages after `last`, in the order of realms and IDs.
    public func messages(after last: Stored?, limit: Int) async throws -> [Stored] {
        let beyond: SQL =
            if let last { "AND (realm_id, id) > (\(last.realm.rawValue), \(try UUID(last.id)))" } else { "" }
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT realm_id, id, content FROM outgoing_sms WHERE failed_at IS NULL \(beyond)
                ORDER BY realm_id, id LIMIT \(limit)
                """)
        }.map {
            Stored(
                realm: ID(try $0.decode("realm_id")), id: ID(uuid: try $0.decode("id")),
                content: try $0.decode("content"))
        }
    }

    /// Replaces the encrypted form of a content. Does nothing if the message was deleted or its content was replaced.
    public func reseal(_ message: Stored, as sealed: [UInt8]) async throws {
        let id = try UUID(message.id)
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE outgoing_sms SET content = \(sealed)
                WHERE realm_id = \(message.realm.rawValue) AND id = \(id) AND content = \(message.content)
                """)
        }
    }

    /// Returns the encrypted secret of a project's sender; `nil` if none is stored.
    public func secret(of project: ID<Project>) async throws -> [UInt8]? {
        try await secrets("AND id = \(project.rawValue)").first?.sealed
    }

    /// Returns the secrets of all projects.
    public func secrets() async throws -> [StoredSecret] { try await secrets("ORDER BY id") }

    /// - Parameter clauses: further conditions, or an `ORDER BY`.
    private func secrets(_ clauses: SQL) async throws -> [StoredSecret] {
        try await withStoreErrors {
            try await pool.query("SELECT id, sms_secret FROM realm WHERE sms_secret IS NOT NULL \(clauses)")
        }.map { StoredSecret(project: ID(try $0.decode("id")), sealed: try $0.decode("sms_secret")) }
    }

    /// Replaces the encrypted form of a secret, unless another process has replaced it first.
    public func reseal(_ secret: StoredSecret, as sealed: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE realm SET sms_secret = \(sealed)
                WHERE id = \(secret.project.rawValue) AND sms_secret = \(secret.sealed)
                """)
        }
    }
}
