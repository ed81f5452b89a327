internal import FoundationEssentials
internal import Identity
internal import Postgres

extension SQL {
    /// Inserts the session once for each row of `source`, ends sessions that exceed ``NewSession/sessionLimit``, and
    /// stores the client's network as a known network of the account.
    ///
    /// - Parameters:
    ///   - source: the name of one of `ctes`, or another table expression.
    ///   - ctes: common table expressions at the beginning of the statement, each followed by a comma.
    ///   - replayKeys: keys of single-use credentials. The statement fails if one of them was used before.
    static func openSession(
        _ session: NewSession, in realm: ID<Realm>, forEachRowOf source: SQL,
        with ctes: SQL = "", consuming replayKeys: [ReplayKey] = []
    ) throws -> SQL {
        let consumed: SQL =
            replayKeys.isEmpty
            ? "" : "replay_keys AS (\(consume(replayKeys, in: realm, forEachRowOf: source)) RETURNING 1),"
        let columns = try SessionColumns(session)
        let limit = session.limitToEnforce
        let limited: SQL =
            limit == 0
            ? ""
            : "limited AS (\(endExcessSessions(over: limit, opening: columns, in: realm, forEachRowOf: source))),"
        return """
            WITH \(ctes) \(consumed) \(limited) network AS (\(storeKnownNetwork(
                session.networkHash, of: session.account, at: session.openedAt, in: realm,
                forEachRowOf: source)))
            \(insertion(of: columns, in: realm, forEachRowOf: source))
            """
    }

    /// Inserts a session for each row of `source`.
    static func insertion(of session: SessionColumns, in realm: ID<Realm>, forEachRowOf source: SQL) -> SQL {
        "\(insertion(of: session, in: realm)) FROM \(source)"
    }

    /// Inserts sessions. The caller appends the `FROM` clause.
    static func insertion(of session: SessionColumns, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at,
            claims, second_factor, second_factor_id, passkey_id, device, app_id, credential_issued_at,
            support_actor, support_ends_at)
        SELECT \(realm.rawValue), \(session.id), \(session.account), \(session.generation), \(session.method),
            \(session.authenticatedAt), \(session.openedAt), \(session.openedAt), \(session.claims),
            \(session.secondFactor), \(session.secondFactorID), \(session.passkey), \(session.device),
            \(session.app(in: realm)), \(session.credentialIssuedAt),
            \(session.supportActor), \(session.supportEndsAt)
        """
    }

    /// Stores a known network of an account, for each row of `source`. Does nothing if the hash is `nil`, as for every
    /// anonymous sign-up.
    static func storeKnownNetwork(
        _ networkHash: [UInt8]?, of account: ID<Account>, at now: Instant, in realm: ID<Realm>, forEachRowOf source: SQL
    ) -> SQL {
        guard let networkHash else { return "SELECT 1" }
        return storeKnownNetwork(
            "\(networkHash)", of: "\(account.rawValue)", at: "\(Timestamp(now))", in: realm, forEachRowOf: source)
    }

    /// Stores known networks, whose values are SQL expressions. Skips rows whose network hash is NULL, and networks
    /// that were stored within the last hour. `OFFSET 0` keeps the planner from reading all networks of the realm once,
    /// instead of one for each row.
    static func storeKnownNetwork(
        _ networkHash: SQL, of account: SQL, at now: SQL, in realm: ID<Realm>, forEachRowOf source: SQL
    ) -> SQL {
        """
        INSERT INTO known_network AS p (realm_id, account_id, network_hash, last_seen_at)
        SELECT \(realm.rawValue), \(account), \(networkHash), \(now) FROM \(source)
        WHERE \(networkHash) IS NOT NULL AND NOT EXISTS (SELECT FROM known_network k
            WHERE k.realm_id = \(realm.rawValue) AND k.account_id = \(account)
                AND k.network_hash = \(networkHash) AND k.last_seen_at > \(now) - interval '1 hour' OFFSET 0)
        ON CONFLICT (realm_id, account_id, network_hash) DO UPDATE
        SET last_seen_at = greatest(p.last_seen_at, excluded.last_seen_at)
        """
    }

    /// A condition on the account `a`: it has this session, and the session is active.
    static func isActive(_ session: Session) throws -> SQL {
        """
        a.id = \(session.account.rawValue) AND a.generation = \(session.generation) AND EXISTS (SELECT FROM session s \
        WHERE s.realm_id = a.realm_id AND s.id = \(try UUID(session.id)) AND s.ended_at IS NULL)
        """
    }

    /// Locks a session, so that no other transaction can end it before this one commits.
    ///
    /// - Returns: a row if the account has the session and the session has not ended.
    static func lockSessionIfActive(
        _ session: ID<Session>, of account: ID<Account>, in realm: ID<Realm>
    ) throws -> SQL {
        """
        SELECT 1 AS one FROM session WHERE realm_id = \(realm.rawValue) AND id = \(try UUID(session))
            AND account_id = \(account.rawValue) AND ended_at IS NULL FOR UPDATE
        """
    }

    /// Rotates one refresh token, and waits if another transaction has locked the session.
    ///
    /// The account's `realm_id` is compared with the expression `s.realm_id || ''` instead of the column.
    /// Otherwise, if the planner expects few accounts in the project, it could read all of them before it reads the
    /// session.
    ///
    /// - Returns: a row if the session continues, or if the token was stolen.
    static func rotate(_ token: PresentedRefreshToken, in realm: ID<Realm>) -> SQL {
        """
        \(rotation) FROM account a, (SELECT \(token.counter) AS counter, \(token.rotates) AS rotates,
            statement_timestamp() + \(token.clockOffset.microseconds) * interval '1 microsecond' AS now,
            statement_timestamp() + \((token.clockOffset - token.gracePeriod).microseconds) * interval '1 microsecond' AS grace_cutoff) p
        WHERE s.realm_id = \(realm.rawValue) AND s.id = \(token.session) AND s.ended_at IS NULL
            AND a.realm_id = s.realm_id || '' AND a.id = s.account_id
            AND a.generation = s.generation AND a.disabled_at IS NULL
        \(returningRotation)
        """
    }

    /// Rotates refresh tokens of different sessions. Skips sessions that other transactions have locked: if such
    /// statements waited for locks, two of them could wait for each other.
    ///
    /// The planner must find rows by their primary keys, even in tables without statistics. The condition with
    /// `BETWEEN` is always true, but makes the planner expect a single token. Because the lateral subqueries have a
    /// limit, every plan reads the tokens before the tables. See `RotationPlanTests`.
    ///
    /// - Returns: a row for each session that continues, or whose token was stolen.
    static func rotate(_ tokens: [PresentedRefreshToken], in realm: ID<Realm>) -> SQL {
        """
        WITH presented AS (
            SELECT s.realm_id, s.id, s.account_id, s.generation, p.counter, p.rotates = 1 AS rotates,
                statement_timestamp() + p.clock_offset * interval '1 microsecond' AS now,
                statement_timestamp() + (p.clock_offset - p.grace_period) * interval '1 microsecond' AS grace_cutoff
            FROM unnest((SELECT \(tokens.map(\.session))), (SELECT \(tokens.map(\.counter))),
                (SELECT \(tokens.map { $0.rotates ? 1 : 0 })), (SELECT \(tokens.map(\.gracePeriod.microseconds))),
                (SELECT \(tokens.map(\.clockOffset.microseconds))))
                AS p (session, counter, rotates, grace_period, clock_offset)
            CROSS JOIN LATERAL (
                SELECT s.realm_id, s.id, s.account_id, s.generation FROM session s
                WHERE s.realm_id = \(realm.rawValue) AND s.id = p.session AND s.ended_at IS NULL
                LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) s
            WHERE p.rotates BETWEEN 0 AND 1
        )
        \(rotation) FROM presented p CROSS JOIN LATERAL (
            SELECT a.* FROM account a WHERE a.realm_id = p.realm_id AND a.id = p.account_id
                AND a.generation = p.generation AND a.disabled_at IS NULL LIMIT 1) a
        WHERE s.realm_id = p.realm_id AND s.id = p.id
        \(returningRotation)
        """
    }

    /// Applies the rules of ``Rotation`` to the session `s`, for the presented token `p`. The migration that creates
    /// the table `session` explains the columns.
    private static let rotation: SQL = """
        UPDATE session s SET
            counter = CASE WHEN p.rotates AND p.counter >= s.counter THEN p.counter + 1 ELSE s.counter END,
            grace_expired_below = CASE WHEN p.rotates AND p.counter >= s.counter THEN greatest(s.grace_expired_below,
                CASE WHEN s.rotated_at < p.grace_cutoff THEN s.counter - 1 END,
                CASE WHEN s.grace_pending_since < p.grace_cutoff THEN s.grace_pending_below END)
                ELSE s.grace_expired_below END,
            grace_pending_below = CASE WHEN p.rotates AND p.counter >= s.counter
                AND s.grace_pending_since < p.grace_cutoff THEN p.counter ELSE s.grace_pending_below END,
            grace_pending_since = CASE WHEN p.rotates AND p.counter >= s.counter
                AND s.grace_pending_since < p.grace_cutoff THEN p.now ELSE s.grace_pending_since END,
            rotated_at = CASE WHEN p.rotates AND p.counter >= s.counter THEN p.now ELSE s.rotated_at END,
            refreshed_at = greatest(s.refreshed_at, p.now),
            first_of_day = s.refreshed_at < date_trunc('day', p.now, 'UTC'),
            ended_at = CASE WHEN \(isTheft) THEN p.now END,
            end_reason = CASE WHEN \(isTheft) THEN 'TOKEN_REUSED' END
        """

    /// A condition of ``rotation``: the presented token is neither the newest nor the one before it, and its grace
    /// period has expired.
    private static let isTheft: SQL = """
        p.rotates AND p.counter < s.counter - 1 AND (p.counter < s.grace_expired_below OR s.rotated_at < p.grace_cutoff
            OR (p.counter < s.grace_pending_below AND s.grace_pending_since < p.grace_cutoff))
        """

    private static let returningRotation: SQL = """
        RETURNING s.counter, s.ended_at IS NOT NULL AS is_stolen, \(accountIsFirstSeen) AS account_is_first_seen,
            \(SessionRow.columnsBesideAccount), \(AccountRow.columns)
        """

    /// Whether the refresh is the first activity of the account on its UTC day: neither a sign-in nor a refresh of
    /// another session came before it. The function reads the other sessions, and only the first refresh of a session
    /// on a day calls it.
    private static let accountIsFirstSeen: SQL = """
        CASE WHEN s.first_of_day AND (a.last_sign_in_at >= date_trunc('day', p.now, 'UTC')) IS NOT TRUE
            THEN NOT refreshed_on_day(a.realm_id, a.id, p.now) ELSE false END
        """

    /// Selects why a rotation changed no row.
    ///
    /// - Returns: no row if the session does not exist. Otherwise a row that states whether the only reason is that the
    ///   account is disabled.
    static func reasonForNoRotation(of session: UUID, in realm: ID<Realm>) -> SQL {
        """
        SELECT s.ended_at IS NULL AND a.generation = s.generation AND a.disabled_at IS NOT NULL AS is_disabled
        FROM session s JOIN account a ON a.realm_id = s.realm_id AND a.id = s.account_id
        WHERE s.realm_id = \(realm.rawValue) AND s.id = \(session)
        """
    }
}

extension Duration {
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
