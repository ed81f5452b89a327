internal import FoundationEssentials
public import Identity
public import Postgres

/// ``BrowserSessionStore`` on PostgreSQL.
public struct PostgresBrowserSessionStore: BrowserSessionStore {
    /// A session is extended at most once in this time.
    private static let extensionInterval: Duration = .seconds(60)

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func use(_ secret: [UInt8], at now: Instant, in realm: ID<Realm>) async throws -> StoredBrowserSession? {
        let rows = try await withStoreErrors { try await pool.query(.browserSession(secret, at: now, in: realm)) }
        guard let row = rows.first else { return nil }
        let idle = Duration.seconds(try row.decode("idle_seconds", as: Int64.self))
        let end = Instant(try row.decode("expires_at"))
        if now + idle - end >= Self.extensionInterval {
            _ = try await withStoreErrors {
                try await pool.execute(.extendBrowserSession(secret, by: idle, at: now, in: realm))
            }
        }
        let account = try AccountRow.account(row)
        return StoredBrowserSession(
            found: FoundSession(account: account, session: try SessionRow.session(row, of: account)),
            staysSignedIn: idle > BrowserSessionLifetime.visit.idle)
    }

    public func renew(
        _ secret: [UInt8], as newSecret: [UInt8], of session: ID<Session>, in realm: ID<Realm>
    ) async throws -> Bool {
        let id = try UUID(session)
        return try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE browser_session SET secret_hash = \(newSecret), session_id = \(id)
                WHERE realm_id = \(realm.rawValue) AND secret_hash = \(secret)
                """)
        } == 1
    }

    public func end(
        _ secret: [UInt8], events: [AccountEvent], recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(.endBrowserSession(secret, .revoked, at: now, in: realm)) == 1
                else { return }
                try await transaction.record(events, by: recording, at: now, in: realm)
            }
        }
    }
}

extension SQL {
    fileprivate static func browserSession(_ secret: [UInt8], at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        SELECT b.idle_seconds, b.expires_at, \(SessionRow.columnsBesideAccount), \(AccountRow.columns)
        FROM browser_session b
        JOIN session s ON s.realm_id = b.realm_id AND s.id = b.session_id AND s.ended_at IS NULL
        JOIN account a ON a.realm_id = s.realm_id AND a.id = s.account_id AND a.generation = s.generation
            AND a.disabled_at IS NULL
        WHERE b.realm_id = \(realm.rawValue) AND b.secret_hash = \(secret) AND b.expires_at > \(Timestamp(now))
        """
    }

    /// The list of sessions shows when the session was used last.
    fileprivate static func extendBrowserSession(
        _ secret: [UInt8], by idle: Duration, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH used AS (
            UPDATE browser_session SET expires_at = least(ends_at, \(Timestamp(now + idle)))
            WHERE realm_id = \(realm.rawValue) AND secret_hash = \(secret) RETURNING session_id)
        UPDATE session s SET refreshed_at = greatest(s.refreshed_at, \(Timestamp(now)))
        FROM used WHERE s.realm_id = \(realm.rawValue) AND s.id = used.session_id
        """
    }

    /// Deletes the cookie's row, and ends the session.
    static func endBrowserSession(
        _ secret: [UInt8], _ reason: SessionEndReason, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH deleted AS (
            DELETE FROM browser_session WHERE realm_id = \(realm.rawValue) AND secret_hash = \(secret)
            RETURNING session_id)
        UPDATE session s SET ended_at = \(Timestamp(now)), end_reason = \(reason.rawValue)
        FROM deleted WHERE s.realm_id = \(realm.rawValue) AND s.id = deleted.session_id AND s.ended_at IS NULL
        """
    }

    static func insert(_ browser: NewBrowserSession, in realm: ID<Realm>) throws -> SQL {
        let (now, lifetime) = (browser.openedAt, browser.lifetime)
        return """
            INSERT INTO browser_session (realm_id, secret_hash, session_id, idle_seconds, expires_at, ends_at)
            VALUES (\(realm.rawValue), \(browser.secretHash), \(try UUID(browser.session)),
                \(lifetime.idle.components.seconds), \(Timestamp(now + lifetime.idle)),
                \(Timestamp(now + lifetime.absolute)))
            """
    }

    /// Deletes expired rows, and ends their sessions, because no browser can use them.
    static func deleteExpiredBrowserSessions(before end: Instant, limit: Int) -> SQL {
        """
        WITH batch AS MATERIALIZED (
            SELECT realm_id, secret_hash, session_id FROM browser_session WHERE expires_at < \(Timestamp(end))
            ORDER BY expires_at LIMIT \(limit) FOR UPDATE SKIP LOCKED),
        ended AS (
            UPDATE session s SET ended_at = \(Timestamp(end)), end_reason = \(SessionEndReason.expired.rawValue)
            FROM batch WHERE s.realm_id = batch.realm_id AND s.id = batch.session_id AND s.ended_at IS NULL)
        DELETE FROM browser_session t USING batch
        WHERE t.realm_id = batch.realm_id AND t.secret_hash = batch.secret_hash
        """
    }
}
