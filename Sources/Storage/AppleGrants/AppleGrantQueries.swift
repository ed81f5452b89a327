internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Statements for grants: Apple tokens that the gateway stores, and codes that workers exchange for tokens.
extension SQL {
    /// Claims due grants for a worker until `leaseEnd`. Sets `expires_at` (the time when the worker gives up) to `end`
    /// if it is NULL, as at the first claim of a grant that was marked for revocation when its identity was deleted.
    static func claimDueAttempts(
        for purpose: AppleGrant.Purpose, limit: Int, until leaseEnd: Instant, expiringAt end: Instant, at now: Instant
    ) -> SQL {
        """
        WITH due AS MATERIALIZED (
            SELECT id FROM apple_grant WHERE \(isWaiting(for: purpose)) AND due_at <= \(Timestamp(now))
            ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        UPDATE apple_grant g SET due_at = \(Timestamp(leaseEnd)), attempts = g.attempts + 1,
            expires_at = coalesce(g.expires_at, \(Timestamp(end)))
        FROM due WHERE g.id = due.id RETURNING \(AppleGrant.columns)
        """
    }

    /// A condition: a grant waits for a worker that redeems or revokes it. Each purpose has its own index, so that
    /// thousands of revocations do not delay the redemption of a code until the code expires.
    private static func isWaiting(for purpose: AppleGrant.Purpose) -> SQL {
        switch purpose {
        case .redeem: "(token_type = 'CODE' OR state = 'REDEEMING')"
        case .revoke: "state = 'REVOKING' AND token_type <> 'CODE'"
        }
    }

    /// Counts the grants of one page by realm, client ID and state. Every row also has the last ID of the page.
    static func counts(after last: UUID?, limit: Int) -> SQL {
        let beyond: SQL = if let last { "WHERE id > \(last)" } else { "" }
        return """
            WITH page AS MATERIALIZED (
                SELECT id, realm_id, client_id, state FROM apple_grant \(beyond) ORDER BY id LIMIT \(limit))
            SELECT realm_id, client_id, state, count(*) AS count,
                (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS page_end
            FROM page GROUP BY realm_id, client_id, state
            """
    }

    /// A condition on the grant `g`: since this worker claimed it, no other worker has claimed it, and its code was not
    /// replaced by a refresh token.
    static func isClaimed(_ grant: AppleGrant) throws -> SQL {
        """
        g.id = \(try UUID(grant.id)) AND g.state IN ('REDEEMING', 'REVOKING')
        AND g.token_type = \(grant.tokenType.rawValue) AND g.attempts = \(grant.attempts)
        """
    }

    /// Postpones up to 5000 due revocations that have the realm and the client ID of `grant`. Claimed grants are not
    /// due, so they are not changed.
    static func postponeRevocations(
        withClientOf grant: AppleGrant, until due: Instant, failure: String, at now: Instant
    ) -> SQL {
        """
        WITH waiting AS MATERIALIZED (
            SELECT id FROM apple_grant WHERE \(isWaiting(for: .revoke)) AND realm_id = \(grant.realm.rawValue)
                AND client_id = \(grant.clientID) AND due_at <= \(Timestamp(now))
            ORDER BY due_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
        UPDATE apple_grant g SET due_at = \(Timestamp(due)), attempts = greatest(g.attempts, \(grant.attempts)),
            failure = \(failure), expires_at = coalesce(g.expires_at, \(Timestamp(now + AppleGrant.revocationLifetime)))
        FROM waiting WHERE g.id = waiting.id
        """
    }

    /// Locks the identity of a grant. This statement must precede those that lock the identity's grants, because a
    /// deletion of the identity also locks the identity first.
    static func lockIdentity(ofGrant id: UUID) -> SQL {
        """
        SELECT FROM linked_identity l JOIN apple_grant g ON g.realm_id = l.realm_id AND g.subject = l.subject
        WHERE g.id = \(id) AND l.provider = 'apple.com' FOR NO KEY UPDATE OF l
        """
    }

    /// Deletes the grant `id` if it has a refresh token, and a newer token of the same identity and client ID is
    /// stored. Apple may have revoked the older token.
    static func deleteOutdated(_ id: UUID) -> SQL {
        """
        DELETE FROM apple_grant g USING apple_grant o
        WHERE g.id = \(id) AND g.state = 'REDEEMING' AND g.token_type = 'REFRESH_TOKEN' AND \(isStoredForSameClient)
            AND o.created_at > g.created_at
        """
    }

    /// Deletes the stored grant that the grant `id` replaces. Both have the same identity and client ID.
    static func deletePredecessors(of id: UUID) -> SQL {
        """
        DELETE FROM apple_grant o USING apple_grant g
        WHERE g.id = \(id) AND g.state = 'REDEEMING' AND \(isStoredForSameClient)
        """
    }

    /// A condition: `o` is another grant with the identity and the client ID of `g`, and a worker has stored the
    /// refresh token of `o`.
    private static var isStoredForSameClient: SQL {
        """
        o.realm_id = g.realm_id AND o.subject = g.subject AND o.client_id = g.client_id AND o.id <> g.id \
        AND o.state IN ('AUTHORIZED', 'REVOKED', 'UNKNOWN')
        """
    }

    /// Marks for revocation a refresh token that no sign-in has used. Resets `attempts`.
    ///
    /// A revocation ends the user's consent to the client ID, not only one token. Therefore the token is not revoked if
    /// the subject has an account in any realm with the client ID. The token is also not revoked while such a realm
    /// moves to another team, because the user's account may still have the former subject.
    static func revokeUnused(_ id: UUID, at now: Instant) -> SQL {
        """
        UPDATE apple_grant g SET state = 'REVOKING', subject = NULL, attempts = 0, expires_at = NULL, failure = NULL,
            due_at = \(Timestamp(now))
        WHERE \(isUnused(id)) AND NOT EXISTS (
            SELECT FROM (SELECT g.realm_id AS id UNION ALL (\(realms(ofAppleClient: "g.client_id", in: nil)))) realm
            CROSS JOIN LATERAL (
                (SELECT 1 FROM linked_identity l
                WHERE l.realm_id = realm.id AND l.provider = 'apple.com' AND l.subject = g.subject LIMIT 1)
                UNION ALL
                (SELECT 1 FROM linked_identity l
                WHERE l.realm_id = realm.id AND l.transfer_sub IS NOT NULL AND l.transferred_at IS NULL LIMIT 1)
            ) known)
        """
    }

    /// Deletes an unused refresh token, unless ``revokeUnused(_:at:)`` has marked it for revocation.
    static func deleteUnused(_ id: UUID) -> SQL {
        "DELETE FROM apple_grant g WHERE \(isUnused(id))"
    }

    /// A condition: the grant `g` has a refresh token that no sign-in has used, because no account of the realm has the
    /// subject.
    private static func isUnused(_ id: UUID) -> SQL {
        """
        g.id = \(id) AND g.state = 'REDEEMING' AND g.token_type = 'REFRESH_TOKEN' AND NOT EXISTS (
            SELECT FROM linked_identity l
            WHERE l.realm_id = g.realm_id AND l.provider = 'apple.com' AND l.subject = g.subject)
        """
    }

    /// Stores the refresh token of a grant that waits to be redeemed. The grant becomes `AUTHORIZED`. A grant that is
    /// `REVOKING` keeps this state, and becomes due at once, so that a worker revokes the new token. Idempotent.
    static func storeRefreshToken(
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

    /// Marks the identity of a grant as authorized.
    ///
    /// - Parameter responded: when Apple issued the token; it is stored as the time of the state. `nil` stores the time
    ///   when the grant was created, or the time of a later check. With `nil`, the identity stays revoked if it was
    ///   marked as revoked after the grant was created.
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
            FROM apple_grant g WHERE g.id = \(id) AND g.state = 'AUTHORIZED' AND l.realm_id = g.realm_id
                AND l.provider = 'apple.com' AND l.subject = g.subject AND \(condition)
            """
    }

    /// The statements of a revocation with a code, which proves that the caller has the identity. Deletes the grants
    /// that are not redeemed yet, and marks the others as revoked.
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

    /// The statements of a revocation with a token, which does not prove that the caller has the identity. Marks the
    /// stored tokens for revocation; if there are none, changes nothing. A stored code keeps its lease, because a
    /// worker may be redeeming it.
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

    /// A condition: the grant `g` has the identity and the client ID of `revocation`.
    private static func isGrant(of revocation: RevocationRequest, in realm: ID<Realm>) -> SQL {
        """
        g.realm_id = \(realm.rawValue) AND g.subject = \(revocation.subject) AND g.client_id = \(revocation.clientID)
        """
    }

    /// Marks the identity as revoked. This must be the first statement of a revocation, because a deletion also locks
    /// the identity before its grants.
    private static func markRevoked(
        by revocation: RevocationRequest, in realm: ID<Realm>, where condition: SQL
    ) throws -> SQL {
        let now = Timestamp(revocation.requestedAt)
        return """
            UPDATE linked_identity SET credential_state = 'REVOKED', credential_checked_at = \(now),
                tokens_revoked_at = \(now), tokens_revoked_by = \(try UUID(revocation.session))
            WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(revocation.subject)
                AND \(condition)
            """
    }

    /// Inserts the token of `revocation` as a grant that waits to be revoked. Does nothing if the identity no longer
    /// exists, so that its subject is not stored longer than the identity. The lock makes a deletion of the identity
    /// wait until it can see the new row.
    static func insert(_ revocation: RevocationRequest, in realm: ID<Realm>) throws -> SQL {
        """
        INSERT INTO apple_grant (id, realm_id, subject, client_id, state, token_type, token, redirect_uri, created_at,
            due_at, expires_at)
        SELECT \(try UUID(revocation.id)), \(realm.rawValue), \(revocation.subject), \(revocation.clientID),
            \(AppleGrant.State.revoking.rawValue), \(revocation.tokenType.rawValue), \(revocation.token),
            \(revocation.redirectURI), \(Timestamp(revocation.requestedAt)), \(Timestamp(revocation.dueAt)),
            \(revocation.expiresAt.map(Timestamp.init))
        FROM (
            SELECT FROM linked_identity WHERE realm_id = \(realm.rawValue) AND provider = 'apple.com'
                AND subject = \(revocation.subject) FOR KEY SHARE) identity
        """
    }
}
