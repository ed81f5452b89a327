internal import FoundationEssentials
public import Identity
public import Postgres

/// ``SignInCodeStore`` on PostgreSQL.
public struct PostgresSignInCodeStore: SignInCodeStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func isFinished(_ flow: [UInt8], in realm: ID<Realm>) async throws -> Bool {
        try await pool.isTrue(
            """
            SELECT EXISTS (SELECT FROM sign_in_code WHERE realm_id = \(realm.rawValue) AND flow_hash = \(flow)) AS answer
            """)
    }

    public func issue(
        _ code: NewSignInCode, _ browser: NewBrowserSession?, at now: Instant, in realm: ID<Realm>
    ) async throws {
        let isNew = try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(.insert(code, in: realm)) == 1 else {
                    if !code.continuesSession {
                        _ = try await transaction.execute(.endLoser(code, at: now, in: realm))
                    }
                    return false
                }
                guard let browser else { return true }
                if let former = browser.replaced {
                    _ = try await transaction.execute(
                        .endBrowserSession(former.secretHash, .replaced, at: now, in: former.realm))
                }
                _ = try await transaction.execute(.insert(browser, in: realm))
                return true
            }
        }
        guard isNew else { throw StoreConflict.alreadyUsed }
    }

    public func issue(
        _ code: NewSignInCode, for session: NewSession, recording note: AuditNote, by actor: AuditActor,
        sending emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws {
        let opening = try SQL.open(session, rehashed: nil, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(opening) == 1 else { throw StoreConflict.stale }
                _ = try await transaction.execute(.insert(code, in: realm))
                try await transaction.audit([note], by: actor, at: session.openedAt, in: realm)
                try await transaction.enqueue(emailBatch, in: realm)
            }
        }
    }

    public func find(_ hash: [UInt8], in realm: ID<Realm>) async throws -> StoredSignInCode? {
        let rows = try await withStoreErrors { try await pool.query(.signInCode(hash, in: realm)) }
        return try rows.first.map { row in
            var source: (account: Account, session: Session)?
            if try row.decode("session_id", as: UUID?.self) != nil, try row.decode("id", as: String?.self) != nil {
                let account = try AccountRow.account(row)
                source = (account, try SessionRow.session(row, of: account))
            }
            return StoredSignInCode(
                app: ID(try row.decode("app_id")), target: try row.decode("target"),
                challenge: try row.decode("challenge"), source: source, endsSession: try row.decode("ends_session"),
                isNewAccount: try row.decode("is_new_account"),
                isContinued: try row.decode("is_continued"), link: try row.decode("link"),
                expiresAt: Instant(try row.decode("code_expires_at")), isUsed: try row.decode("is_used"))
        }
    }

    public func exchange(
        _ hash: [UInt8], opening session: NewSession, ending ended: ID<Session>?, in realm: ID<Realm>
    ) async throws {
        let opening = try SQL.open(session, rehashed: nil, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                try await transaction.requireUnchangedForHooks(session, in: realm)
                try await transaction.consume(code: hash, for: session, ending: ended, in: realm)
                guard try await transaction.execute(opening) == 1 else { throw StoreConflict.stale }
                try await transaction.recordOpening(of: session, in: realm)
            }
        }
    }

    public func end(_ session: ID<Session>, at now: Instant, in realm: ID<Realm>) async throws {
        let statement = try SQL.endSession(session, .replaced, at: now, in: realm)
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    public func endSession(openedWith hash: [UInt8], at now: Instant, in realm: ID<Realm>) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE session s SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.tokenReused.rawValue)
                FROM sign_in_code c WHERE c.realm_id = \(realm.rawValue) AND c.code_hash = \(hash)
                    AND s.realm_id = c.realm_id AND s.id = c.session_id AND s.ended_at IS NULL
                """)
        }
    }
}

extension Transaction {
    /// Marks the code as used whose exchange opens the session. Does nothing for another session.
    ///
    /// - Throws: ``StoreConflict/alreadyUsed``.
    func consumeCode(exchangedFor session: NewSession, in realm: ID<Realm>) async throws {
        guard let code = session.exchangedCode else { return }
        try await consume(code: code.hash, for: session, ending: code.endedSession, in: realm)
    }

    /// Marks a code of the sign-in page as used by the session that the transaction opens.
    ///
    /// - Parameter ended: the session on the page, if it ends now.
    /// - Throws: ``StoreConflict/alreadyUsed``.
    func consume(
        code hash: [UInt8], for session: NewSession, ending ended: ID<Session>?, in realm: ID<Realm>
    ) async throws {
        let now = Timestamp(session.openedAt)
        let claimed = try await execute(
            """
            UPDATE sign_in_code SET used_at = \(now), session_id = \(try UUID(session.id))
            WHERE realm_id = \(realm.rawValue) AND code_hash = \(hash) AND used_at IS NULL
            """)
        guard claimed == 1 else { throw StoreConflict.alreadyUsed }
        guard let ended else { return }
        _ = try await execute(.endSession(ended, .replaced, at: session.openedAt, in: realm))
    }
}

extension SQL {
    fileprivate static func insert(_ code: NewSignInCode, in realm: ID<Realm>) throws -> SQL {
        """
        INSERT INTO sign_in_code (realm_id, code_hash, flow_hash, app_id, target, challenge, account_id, generation,
            source_session_id, ends_session, is_new_account, is_continued, link, expires_at, kept_until)
        VALUES (\(realm.rawValue), \(code.hash), \(code.flowHash), \(code.app.rawValue), \(code.target.text),
            \(code.challenge), \(code.session.account.rawValue), \(code.session.generation),
            \(try UUID(code.session.id)), \(code.endsSession), \(code.isNewAccount),
            \(code.isContinued), \(code.link), \(Timestamp(code.expiresAt)), \(Timestamp(code.keptUntil)))
        ON CONFLICT (realm_id, flow_hash) DO NOTHING
        """
    }

    /// The code, with its account and the session on the page if both are still active.
    fileprivate static func signInCode(_ hash: [UInt8], in realm: ID<Realm>) -> SQL {
        """
        SELECT c.app_id, c.target, c.challenge, c.ends_session, c.is_new_account, c.is_continued, c.link,
            c.expires_at AS code_expires_at, c.used_at IS NOT NULL AS is_used,
            \(SessionRow.columnsBesideAccount), \(AccountRow.columns)
        FROM sign_in_code c
        LEFT JOIN account a ON a.realm_id = c.realm_id AND a.id = c.account_id AND a.generation = c.generation
            AND a.disabled_at IS NULL
        LEFT JOIN session s ON s.realm_id = a.realm_id AND s.id = c.source_session_id AND s.generation = a.generation
            AND s.ended_at IS NULL
        WHERE c.realm_id = \(realm.rawValue) AND c.code_hash = \(hash)
        """
    }

    /// Ends the session of a code that was not stored, unless the stored code of the flow has the same session: its
    /// form was sent twice.
    fileprivate static func endLoser(_ code: NewSignInCode, at now: Instant, in realm: ID<Realm>) throws -> SQL {
        let session = try UUID(code.session.id)
        return """
            UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.replaced.rawValue)
            WHERE realm_id = \(realm.rawValue) AND id = \(session) AND ended_at IS NULL
                AND NOT EXISTS (
                    SELECT FROM sign_in_code c WHERE c.realm_id = \(realm.rawValue)
                        AND c.flow_hash = \(code.flowHash) AND c.source_session_id = \(session))
            """
    }

    static func endSession(
        _ session: ID<Session>, _ reason: SessionEndReason, at now: Instant, in realm: ID<Realm>
    ) throws -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(reason.rawValue)
        WHERE realm_id = \(realm.rawValue) AND id = \(try UUID(session)) AND ended_at IS NULL
        """
    }
}
