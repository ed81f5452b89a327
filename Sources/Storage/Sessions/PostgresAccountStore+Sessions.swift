internal import FoundationEssentials
public import Identity
internal import Postgres

extension PostgresAccountStore {
    public func sessions(
        of account: ID<Account>, after position: TimePosition?, limit: Int, in realm: ID<Realm>
    ) async throws -> [ListedSession] {
        let statement = try SQL.sessions(of: account, after: position, limit: limit, in: realm)
        return try await withStoreErrors { try await pool.query(statement) }.map { try ListedSession($0) }
    }

    public func status(of session: ID<Session>, in realm: ID<Realm>) async throws -> SessionStatus? {
        // A backend may send any text as a session ID. A text that is not a UUID does not name a session.
        guard let id = try? UUID(session) else { return nil }
        return try await withStoreErrors { try await pool.query(.status(of: id, in: realm)) }.first.map { row in
            SessionStatus(
                of: ID(try row.decode("account_id")),
                endedAt: try row.decode("ended_at", as: Timestamp?.self).map(Instant.init),
                endReason: try row.decode("end_reason", as: String?.self).flatMap(SessionEndReason.init),
                isOfCurrentGeneration: try row.decode("is_of_current_generation"),
                accountIsDisabled: try row.decode("is_disabled"),
                validSince: Instant(try row.decode("valid_since")),
                expiresAt: try row.decode("support_ends_at", as: Timestamp?.self).map(Instant.init))
        }
    }

    public func isResumable(_ session: ID<Session>, in realm: ID<Realm>) async throws -> Bool {
        // `counter` exceeds 1 as soon as the client has presented the session's second refresh token.
        let statement: SQL = """
            SELECT FROM session WHERE realm_id = \(realm.rawValue) AND id = \(try UUID(session))
                AND counter <= 1 AND ended_at IS NULL
            """
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }

    public func end(
        _ session: ID<Session>, by caller: Session, events: [AccountEvent], recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        // A client may send any text as a session ID. A text that is not a UUID does not name a session.
        guard let id = try? UUID(session) else { throw StoreConflict.notFound }
        let ending = try SQL.end(id, by: caller, at: now, in: realm)
        let statement = try SQL.record(
            events, by: recording, at: now, in: realm, with: "\(ending) RETURNING 1", forEachRowOf: "ended")
        guard try await withStoreErrors({ try await pool.execute(statement) }) == 1 else {
            throw StoreConflict.notFound
        }
    }

    public func endAll(
        by caller: Session, events: [AccountEvent], recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        let statement = try SQL.endAll(by: caller, at: now, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(statement) == 1 else { throw StoreConflict.stale }
                _ = try await transaction.execute(
                    .deleteSessions(of: caller.account, before: caller.generation, in: realm))
                try await transaction.record(events, by: recording, at: now, in: realm)
            }
        }
    }
}

extension ListedSession {
    /// Decodes a row of ``SQL/sessions(of:after:limit:in:)``.
    init(_ row: Row) throws {
        self.init(
            session: try SessionRow.session(row), lastUsedAt: Instant(try row.decode("refreshed_at")),
            app: try row.decode("app_id", as: String?.self).map { ID($0) })
    }
}

extension SQL {
    static func sessions(
        of account: ID<Account>, after position: TimePosition?, limit: Int, in realm: ID<Realm>
    ) throws -> SQL {
        let beyond: SQL =
            if let position {
                "AND (s.authenticated_at, s.id) < (\(Timestamp(position.time)), \(try UUID(ID<Session>(position.id))))"
            } else { "" }
        return """
            SELECT \(SessionRow.columns), s.refreshed_at, s.app_id FROM session s
            JOIN account a ON a.realm_id = s.realm_id AND a.id = s.account_id AND a.generation = s.generation
            WHERE s.realm_id = \(realm.rawValue) AND s.account_id = \(account.rawValue) AND s.ended_at IS NULL
                \(beyond)
            ORDER BY s.authenticated_at DESC, s.id DESC LIMIT \(limit)
            """
    }

    fileprivate static func status(of session: UUID, in realm: ID<Realm>) -> SQL {
        """
        SELECT s.account_id, s.ended_at, s.end_reason, s.generation = a.generation AS is_of_current_generation,
            a.disabled_at IS NOT NULL AS is_disabled, a.valid_since, s.support_ends_at
        FROM session s JOIN account a ON a.realm_id = s.realm_id AND a.id = s.account_id
        WHERE s.realm_id = \(realm.rawValue) AND s.id = \(session)
        """
    }

    fileprivate static func end(
        _ session: UUID, by caller: Session, at now: Instant, in realm: ID<Realm>
    ) throws -> SQL {
        """
        UPDATE session t SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.revoked.rawValue)
        FROM account a
        WHERE t.realm_id = \(realm.rawValue) AND t.id = \(session) AND t.ended_at IS NULL
            AND a.realm_id = t.realm_id AND a.id = t.account_id AND a.generation = t.generation
            AND \(try isActive(caller))
        """
    }

    fileprivate static func endAll(by caller: Session, at now: Instant, in realm: ID<Realm>) throws -> SQL {
        var ended = AccountUpdate()
        ended.endsSessions = true
        return update(caller.account, by: ended, at: now, in: realm, where: try isActive(caller))
    }
}
