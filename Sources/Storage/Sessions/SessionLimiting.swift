internal import Identity
internal import Postgres

extension SQL {
    /// The maximum number of sessions that one sign-in ends, so that a lower limit does not make a sign-in slow.
    private static let endedPerSignIn = 500

    /// Ends the longest unused sessions of an account that exceed `limit`. The account is about to get one more
    /// session, which the statement does not see yet. Sessions with ``SupportAccess`` do not count and do not end:
    /// support signs no user out.
    ///
    /// Reads only active sessions, by the index `session_account`. Skips sessions that other transactions have locked:
    /// this statement has locked the account, and they may wait for it. The next sign-in ends these sessions.
    ///
    /// Because the lateral subqueries have limits, every plan reads `source` before the sessions. The comparisons with
    /// an expression and with a column, instead of the realm, keep the planner from reading all sessions of the realm
    /// in a table without statistics. See `SignInQueryPlanTests`.
    ///
    /// - Parameters:
    ///   - session: the session that is opened for each row of `source`.
    ///   - source: a table expression. It must not have the aliases `e`, `l` and `t`.
    static func endExcessSessions(
        over limit: Int, opening session: SessionColumns, in realm: ID<Realm>, forEachRowOf source: SQL
    ) -> SQL {
        """
        UPDATE session t SET ended_at = l.now, end_reason = \(SessionEndReason.limit.rawValue)
        FROM (SELECT l.realm_id, l.id, \(session.openedAt) AS now FROM \(source)
            CROSS JOIN LATERAL (
                SELECT e.id FROM session e
                WHERE e.realm_id || '' = \(realm.rawValue) AND e.account_id = \(session.account)
                    AND e.generation = \(session.generation) AND e.ended_at IS NULL AND e.support_actor IS NULL
                ORDER BY e.refreshed_at DESC, e.id OFFSET \(limit - 1) LIMIT \(endedPerSignIn)) e
            CROSS JOIN LATERAL (
                SELECT l.realm_id, l.id FROM session l
                WHERE l.realm_id = \(realm.rawValue) AND l.id = e.id AND l.ended_at IS NULL
                LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) l) l
        WHERE t.realm_id = l.realm_id AND t.id = l.id
        """
    }
}
