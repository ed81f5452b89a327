internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Statements for events about Apple identities. After an event, the credentials that Apple issued before it can be
/// void, because the user has disconnected the app or deleted the Apple account.
extension SQL {
    /// Locks an identity of an account.
    ///
    /// - Parameter issuedAt: when the provider issued the credential; `nil` if credentials of this provider never
    ///   become void.
    /// - Returns: a row if the account has the identity, which is not suspended, and the credential is not void.
    static func lockIdentityIfCredentialIsValid(
        _ subject: String, of account: ID<Account>, provider: ProviderID, issuedAt: Instant?, in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT 1 AS one FROM linked_identity WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND provider = \(provider.rawValue) AND subject = \(subject)
            AND coalesce(credentials_void_before <= \(issuedAt.map { Timestamp($0) }), true)
            AND suspended_at IS NULL FOR SHARE
        """
    }

    /// Takes an advisory lock on a subject. Two kinds of transactions take it: those that give an account this subject,
    /// and those that apply an event about the subject. They thus run one after the other, and each sees the changes of
    /// the previous one. The lock must precede all row locks. A row lock is not enough, because there may be no row
    /// with the subject yet.
    static func lockSubject(_ subject: String, of provider: ProviderID, in realm: ID<Realm>) -> SQL {
        """
        SELECT pg_advisory_xact_lock(hashtext(\(realm.rawValue)), hashtext(\("\(provider.rawValue)\n\(subject)")))
        """
    }

    /// Selects the void time of a subject: the time before which its credentials from Apple are void. Returns no row if
    /// none is stored.
    static func voidTime(of subject: String, in realm: ID<Realm>) -> SQL {
        """
        SELECT credentials_void_before FROM revoked_subject
        WHERE realm_id = \(realm.rawValue) AND subject_hash = \(subjectHash(ofApple: subject))
        """
    }

    private static func subjectHash(ofApple subject: String) -> SQL {
        subjectHash("\(subject)", of: "\(ProviderID.apple.rawValue)")
    }

    /// Selects the realms that accept a client ID of Apple.
    ///
    /// - Parameters:
    ///   - clientID: an SQL expression for the client ID.
    ///   - project: if not `nil`, only this project and its tenants.
    static func realms(ofAppleClient clientID: SQL, in project: ID<Project>?) -> SQL {
        let scope: SQL =
            if let project { "coalesce(r.parent_id, r.id) = \(project.rawValue)" } else { "true" }
        return """
            SELECT r.id FROM identity_provider p JOIN realm r ON r.id = p.realm_id
            WHERE p.provider = 'apple.com' AND r.deleted_at IS NULL AND \(scope)
                AND (jsonb_exists(p.settings -> 'clientIds', \(clientID)) OR EXISTS (
                    SELECT FROM app WHERE app.project_id = coalesce(r.parent_id, r.id)
                        AND jsonb_exists(app.settings #> '{clientIds,apple.com}', \(clientID))))
            ORDER BY r.id
            """
    }

    /// Selects the account that has the subject, with the facts on which the reaction to an event depends.
    ///
    /// - Parameter locking: whether to lock the identity. The lock waits for transactions that change the identity.
    static func appleFacts(about subject: String, locking: Bool, in realm: ID<Realm>) -> SQL {
        let lock: SQL = locking ? "FOR NO KEY UPDATE OF l" : ""
        return """
            SELECT l.tokens_revoked_at, l.tokens_revoked_by, l.relay_forwarding_at, \(AccountRow.columns),
                (SELECT max(s.credential_issued_at) FROM session s WHERE s.realm_id = l.realm_id
                    AND s.account_id = l.account_id AND s.method = 'apple.com') AS credential_issued_at
            FROM linked_identity l JOIN account a ON a.realm_id = l.realm_id AND a.id = l.account_id
            WHERE l.realm_id = \(realm.rawValue) AND l.provider = 'apple.com' AND l.subject = \(subject) \(lock)
            """
    }

    /// Inserts the replay key of an event. Fails if this realm has received the event before. A project and each of its
    /// tenants receive an event separately.
    static func insertReplayKey(of event: AppleEvent, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO replay_guard (realm_id, hash, expires_at)
        VALUES (\(realm.rawValue), \(event.replayKey.hash), \(Timestamp(event.replayKey.expiresAt)))
        """
    }

    /// Stores the void time of the event's subject, even if no account has the subject. A later stored time stays.
    static func rememberVoidTime(by event: AppleEvent, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO revoked_subject AS r (realm_id, subject_hash, credentials_void_before, expires_at)
        VALUES (\(realm.rawValue), \(subjectHash(ofApple: event.subject)), \(Timestamp(event.cutoff)),
            \(Timestamp(event.voidUntil)))
        ON CONFLICT (realm_id, subject_hash) DO UPDATE SET
            credentials_void_before = greatest(r.credentials_void_before, excluded.credentials_void_before),
            expires_at = greatest(r.expires_at, excluded.expires_at)
        """
    }

    /// Stores the void time in the row of a linked identity. A later stored time stays.
    static func raiseVoidTime(ofIdentity subject: String, to cutoff: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET credentials_void_before = greatest(credentials_void_before, \(Timestamp(cutoff)))
        WHERE \(isIdentity(subject, in: realm))
        """
    }

    static func markIdentityRevoked(_ subject: String, at time: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET credential_state = 'REVOKED',
            credential_checked_at = greatest(credential_checked_at, \(Timestamp(time)))
        WHERE \(isIdentity(subject, in: realm))
        """
    }

    /// Stores whether Apple's email relay forwards email to the address of the identity.
    static func setForwarding(_ forwards: Bool, by event: AppleEvent, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET relay_forwarding = \(forwards), relay_forwarding_at = \(Timestamp(event.occurredAt))
        WHERE \(isIdentity(event.subject, in: realm))
        """
    }

    /// Deletes the grants (stored tokens of Apple) from before `cutoff` that no worker has redeemed yet: authorization
    /// codes, and refresh tokens that no sign-in has used. Apple rejects both after the event.
    static func deleteRedeemingGrants(of subject: String, before cutoff: Instant, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM apple_grant WHERE realm_id = \(realm.rawValue) AND subject = \(subject)
            AND created_at < \(Timestamp(cutoff)) AND state = 'REDEEMING'
        """
    }

    /// Marks the redeemed grants from before `cutoff` as revoked, whatever their client ID. A user disconnects all apps
    /// and web sites of a Sign in with Apple group (a primary App ID and the IDs that are grouped with it) together.
    static func revokeGrants(of subject: String, before cutoff: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE apple_grant SET state = 'REVOKED', token = NULL
        WHERE realm_id = \(realm.rawValue) AND subject = \(subject)
            AND created_at < \(Timestamp(cutoff)) AND state IN ('AUTHORIZED', 'UNKNOWN')
        """
    }

    /// Ends the sessions that were opened with Apple's credentials from before `cutoff`.
    ///
    /// - Parameter excluded: a session to keep.
    static func endAppleSessions(
        of account: ID<Account>, before cutoff: Instant, except excluded: ID<Session>?, at now: Instant,
        in realm: ID<Realm>
    ) throws -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.providerRevoked.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND method = 'apple.com'
            AND coalesce(credential_issued_at, authenticated_at) < \(Timestamp(cutoff)) AND ended_at IS NULL
            AND id IS DISTINCT FROM \(try excluded.map { try UUID($0) })
        """
    }

    static func unlinkIdentity(of event: AppleEvent, in realm: ID<Realm>) -> SQL {
        "DELETE FROM linked_identity WHERE \(isIdentity(event.subject, in: realm))"
    }

    private static func isIdentity(_ subject: String, in realm: ID<Realm>) -> SQL {
        "realm_id = \(realm.rawValue) AND provider = 'apple.com' AND subject = \(subject)"
    }
}
