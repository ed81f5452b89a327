internal import FoundationEssentials
internal import Identity
internal import Postgres

extension SQL {
    /// Grants that were marked by the deletion of an identity get the end of their attempts here.
    static func claimWaiting(
        for purpose: AppleGrant.Purpose, limit: Int, until due: Instant, givingUpAt end: Instant, at now: Instant
    ) -> SQL {
        """
        WITH due AS MATERIALIZED (
            SELECT id FROM apple_grant WHERE \(isWaiting(for: purpose)) AND due_at <= \(Timestamp(now))
            ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        UPDATE apple_grant g SET due_at = \(Timestamp(due)), attempts = g.attempts + 1,
            expires_at = coalesce(g.expires_at, \(Timestamp(end)))
        FROM due WHERE g.id = due.id RETURNING \(AppleGrant.columns)
        """
    }

    /// Each purpose has an index, so that revocations by the thousand do not delay a code until it expires.
    private static func isWaiting(for purpose: AppleGrant.Purpose) -> SQL {
        switch purpose {
        case .redeem: "(token_type = 'CODE' OR state = 'REDEEMING')"
        case .revoke: "state = 'REVOKING' AND token_type <> 'CODE'"
        }
    }

    /// Counts the grants of one page by state and client ID. Every row has the end of the page.
    static func counts(after last: UUID?, limit: Int) -> SQL {
        let beyond: SQL = if let last { "WHERE id > \(last)" } else { "" }
        return """
            WITH page AS MATERIALIZED (
                SELECT id, project_id, client_id, state FROM apple_grant \(beyond) ORDER BY id LIMIT \(limit))
            SELECT project_id, client_id, state, count(*) AS count,
                (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS page_end
            FROM page GROUP BY project_id, client_id, state
            """
    }

    /// A condition: no other worker has claimed the waiting grant `g` since, and its token was not replaced.
    static func isClaimed(_ grant: AppleGrant) throws -> SQL {
        """
        g.id = \(try UUID(grant.id)) AND g.state IN ('REDEEMING', 'REVOKING')
        AND g.token_type = \(grant.tokenType.rawValue) AND g.attempts = \(grant.attempts)
        """
    }

    /// Claimed grants are due later, and are not touched.
    static func postponeRevocations(
        like grant: AppleGrant, until due: Instant, failure: String, at now: Instant
    ) -> SQL {
        """
        WITH waiting AS MATERIALIZED (
            SELECT id FROM apple_grant WHERE \(isWaiting(for: .revoke)) AND project_id = \(grant.realm.rawValue)
                AND client_id = \(grant.clientID) AND due_at <= \(Timestamp(now))
            ORDER BY due_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
        UPDATE apple_grant g SET due_at = \(Timestamp(due)), attempts = greatest(g.attempts, \(grant.attempts)),
            failure = \(failure), expires_at = coalesce(g.expires_at, \(Timestamp(now + AppleGrant.revocationLifetime)))
        FROM waiting WHERE g.id = waiting.id
        """
    }

    /// Locks the identity before its grants, in the order in which a deletion locks them.
    static func lockIdentity(ofGrant id: UUID) -> SQL {
        """
        SELECT FROM linked_identity l JOIN apple_grant g ON g.project_id = l.project_id AND g.subject = l.subject
        WHERE g.id = \(id) AND l.provider = 'apple.com' FOR NO KEY UPDATE OF l
        """
    }

    /// Deletes a refresh token that was stored before the newer token of its identity and client ID: Apple may have ended
    /// it since.
    static func deleteOutdated(_ id: UUID) -> SQL {
        """
        DELETE FROM apple_grant g USING apple_grant o
        WHERE g.id = \(id) AND g.state = 'REDEEMING' AND g.token_type = 'REFRESH_TOKEN' AND \(isKeptBefore)
            AND o.created_at > g.created_at
        """
    }

    static func deletePredecessors(of id: UUID) -> SQL {
        """
        DELETE FROM apple_grant o USING apple_grant g
        WHERE g.id = \(id) AND g.state = 'REDEEMING' AND \(isKeptBefore)
        """
    }

    /// A condition: `o` is the grant that was kept before for the identity and the client ID of `g`.
    private static var isKeptBefore: SQL {
        """
        o.project_id = g.project_id AND o.subject = g.subject AND o.client_id = g.client_id AND o.id <> g.id \
        AND o.state IN ('AUTHORIZED', 'REVOKED', 'UNKNOWN')
        """
    }

    /// A refresh token that no sign-in has used has no identity: it waits to be revoked. `attempts` starts again.
    ///
    /// Apple ends the user's consent to the client ID, not one token. A token stays valid if an account of any realm with
    /// the client ID has the subject, and also while a realm moves to another team: the account may have the former subject.
    static func revokeUnused(_ id: UUID, at now: Instant) -> SQL {
        """
        UPDATE apple_grant g SET state = 'REVOKING', subject = NULL, attempts = 0, expires_at = NULL, failure = NULL,
            due_at = \(Timestamp(now))
        WHERE \(isUnused(id)) AND NOT EXISTS (
            SELECT FROM (SELECT g.project_id AS id UNION ALL (\(realms(ofAppleClient: "g.client_id", in: nil)))) realm
            CROSS JOIN LATERAL (
                (SELECT 1 FROM linked_identity l
                WHERE l.project_id = realm.id AND l.provider = 'apple.com' AND l.subject = g.subject LIMIT 1)
                UNION ALL
                (SELECT 1 FROM linked_identity l
                WHERE l.project_id = realm.id AND l.transfer_sub IS NOT NULL AND l.transferred_at IS NULL LIMIT 1)
            ) known)
        """
    }

    /// Deletes an unused refresh token that must not be revoked.
    static func deleteUnused(_ id: UUID) -> SQL {
        "DELETE FROM apple_grant g WHERE \(isUnused(id))"
    }

    private static func isUnused(_ id: UUID) -> SQL {
        """
        g.id = \(id) AND g.state = 'REDEEMING' AND g.token_type = 'REFRESH_TOKEN' AND NOT EXISTS (
            SELECT FROM linked_identity l
            WHERE l.project_id = g.project_id AND l.provider = 'apple.com' AND l.subject = g.subject)
        """
    }

    /// A grant that has lost its identity stays REVOKING, and is tried again with the new token. May be repeated.
    static func keep(
        _ id: UUID, token: [UInt8], obtainedWith key: AppleKeyName, firstCheck: Instant, at now: Instant
    ) -> SQL {
        """
        UPDATE apple_grant SET token_type = 'REFRESH_TOKEN', token = \(token), redirect_uri = NULL,
            team_id = \(key.teamID), key_id = \(key.keyID), expires_at = NULL, attempts = 0, failure = NULL,
            state = CASE state WHEN 'REDEEMING' THEN 'AUTHORIZED' ELSE state END,
            due_at = CASE state WHEN 'REDEEMING' THEN \(Timestamp(firstCheck)) ELSE \(Timestamp(now)) END
        WHERE id = \(id) AND \(isWaiting(for: .redeem))
        """
    }

    /// - Parameter responded: when Apple issued the token; `nil`: when the gateway stored it, and what Apple reported since
    ///   stays.
    static func authorize(identityOf id: UUID, asOf responded: Instant?) -> SQL {
        let (checkedAt, condition): (SQL, SQL) =
            if let responded {
                ("\(Timestamp(responded))", "true")
            } else {
                (
                    "greatest(l.credential_checked_at, g.created_at)",
                    """
                    (l.credential_state = 'REVOKED' AND l.credential_checked_at > g.created_at) IS NOT TRUE
                    """
                )
            }
        return """
            UPDATE linked_identity l SET credential_state = 'AUTHORIZED', credential_checked_at = \(checkedAt)
            FROM apple_grant g WHERE g.id = \(id) AND g.state = 'AUTHORIZED' AND l.project_id = g.project_id
                AND l.provider = 'apple.com' AND l.subject = g.subject AND \(condition)
            """
    }

    /// The effects of a revocation by a code, which has proved the identity.
    static func effects(ofCode revocation: RevocationRequest, in realm: ID<Realm>) throws -> [SQL] {
        [
            try markRevoked(by: revocation, in: realm, where: "true"),
            "DELETE FROM apple_grant g WHERE \(isGrant(of: revocation, in: realm)) AND g.state = 'REDEEMING'",
            """
            UPDATE apple_grant g SET state = 'REVOKED', token = NULL
            WHERE \(isGrant(of: revocation, in: realm)) AND g.state IN ('AUTHORIZED', 'UNKNOWN')
            """,
        ]
    }

    /// The effects of a revocation by a token, which proves nothing: the stored tokens wait to be revoked, and without any
    /// nothing changes. A code keeps its lease, because a worker may be redeeming it.
    static func effects(ofToken revocation: RevocationRequest, in realm: ID<Realm>) throws -> [SQL] {
        let stored: SQL = """
            \(isGrant(of: revocation, in: realm)) AND g.state IN ('REDEEMING', 'AUTHORIZED', 'UNKNOWN')
            """
        return [
            try markRevoked(by: revocation, in: realm, where: "EXISTS (SELECT FROM apple_grant g WHERE \(stored))"),
            """
            UPDATE apple_grant g SET state = 'REVOKING', attempts = CASE token_type WHEN 'CODE' THEN attempts ELSE 0 END,
                due_at = CASE token_type WHEN 'CODE' THEN due_at ELSE \(Timestamp(revocation.requestedAt)) END
            WHERE \(stored)
            """,
        ]
    }

    private static func isGrant(of revocation: RevocationRequest, in realm: ID<Realm>) -> SQL {
        """
        g.project_id = \(realm.rawValue) AND g.subject = \(revocation.subject) AND g.client_id = \(revocation.clientID)
        """
    }

    /// The first statement of a revocation, because a deletion also locks the identity before its grants.
    private static func markRevoked(
        by revocation: RevocationRequest, in realm: ID<Realm>, where condition: SQL
    ) throws -> SQL {
        let now = Timestamp(revocation.requestedAt)
        return """
            UPDATE linked_identity SET credential_state = 'REVOKED', credential_checked_at = \(now),
                tokens_revoked_at = \(now), tokens_revoked_by = \(try UUID(revocation.session))
            WHERE project_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(revocation.subject)
                AND \(condition)
            """
    }

    /// Does nothing if the identity is gone, so that no subject outlives it. The lock makes a deletion wait until the row
    /// is there to be marked.
    static func insert(_ revocation: RevocationRequest, in realm: ID<Realm>) throws -> SQL {
        """
        INSERT INTO apple_grant (id, project_id, subject, client_id, state, token_type, token, redirect_uri, created_at,
            due_at, expires_at)
        SELECT \(try UUID(revocation.id)), \(realm.rawValue), \(revocation.subject), \(revocation.clientID),
            \(AppleGrant.State.revoking.rawValue), \(revocation.tokenType.rawValue), \(revocation.token),
            \(revocation.redirectURI), \(Timestamp(revocation.requestedAt)), \(Timestamp(revocation.dueAt)),
            \(revocation.expiresAt.map(Timestamp.init))
        FROM (
            SELECT FROM linked_identity WHERE project_id = \(realm.rawValue) AND provider = 'apple.com'
                AND subject = \(revocation.subject) FOR KEY SHARE) identity
        """
    }
}
