internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// The first row states whether the credential is void; accounts follow only if it is not.
    static func linkingCandidates(for identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        guard identity.issuedAt != nil else {
            return "SELECT c.*, false AS is_void FROM (\(candidates(for: identity, in: realm))) c"
        }
        return """
            SELECT c.*, v.is_void FROM (SELECT NOT (\(isValid(identity, in: realm))) AS is_void) v
            LEFT JOIN (\(candidates(for: identity, in: realm))) c ON NOT v.is_void
            """
    }

    private static func candidates(for identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        """
        SELECT true AS is_owner, \(AccountRow.columns) FROM linked_identity o
        JOIN account a ON a.project_id = o.project_id AND a.id = o.account_id
        WHERE \(isOwned(identity, in: realm))
        UNION ALL
        SELECT false, \(AccountRow.columns) FROM account a
        WHERE a.project_id = \(realm.rawValue) AND a.email = \(identity.email?.rawValue)
            AND a.id IS DISTINCT FROM (SELECT o.account_id FROM linked_identity o WHERE \(isOwned(identity, in: realm)))
        """
    }

    /// A condition: the row `o` is that of the identity. An identity that moves to another Apple team is found by its
    /// subject, otherwise by its transfer subject, in the same statement.
    private static func isOwned(_ identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        let subject: SQL =
            if let transferSubject = identity.transferSubject {
                """
                (SELECT f.subject FROM (
                    SELECT 1 AS rank, s.subject FROM linked_identity s
                    WHERE s.project_id = \(realm.rawValue) AND s.provider = \(identity.provider.rawValue)
                        AND s.subject = \(identity.subject)
                    UNION ALL
                    SELECT 2, t.subject FROM linked_identity t
                    WHERE t.project_id = \(realm.rawValue) AND t.transfer_sub = \(transferSubject)
                        AND t.transferred_at IS NULL AND t.provider = \(identity.provider.rawValue)) f
                ORDER BY f.rank LIMIT 1)
                """
            } else {
                "\(identity.subject)"
            }
        return """
            o.project_id = \(realm.rawValue) AND o.provider = \(identity.provider.rawValue) \
            AND o.subject = \(subject)
            """
    }

    /// Changes nothing if the account's generation has changed, the account is disabled, or the identity was removed or
    /// has another issuer, or the credential is void. Waits for a transaction that is removing the identity or making
    /// credentials void: the account's row is locked first, as everywhere, then the identity's. `FOR KEY SHARE` would not
    /// do, because it reads the identity as it was before the wait.
    ///
    /// - Parameter changed: whether the identity has new values to store.
    static func signIn(
        _ account: Account, with identity: LinkedIdentity, changed: Bool, _ commit: SignInCommit, in realm: ID<Realm>
    ) throws -> SQL {
        let now = Timestamp(commit.committedAt)
        let issuer = commit.identity.issuer
        let code = try insertCode(commit.identity.code, at: commit.committedAt, in: realm, from: "signed_in")
        let grants: SQL = code.map { "grants AS (\($0))," } ?? ""
        let remembered: SQL = changed ? "updated_identity AS (\(remembering(identity, in: realm)))," : ""
        return opening(
            try SessionRow(commit.session), in: realm, from: "signed_in",
            after: """
                locked AS (
                    SELECT a.project_id, a.id FROM account a
                    JOIN linked_identity l ON l.project_id = a.project_id AND l.account_id = a.id
                    WHERE a.project_id = \(realm.rawValue) AND a.id = \(account.id.rawValue)
                        AND a.generation = \(account.generation) AND a.disabled_at IS NULL
                        AND l.provider = \(identity.provider.rawValue) AND l.subject = \(identity.subject)
                        AND coalesce(l.issuer, \(issuer)) IS NOT DISTINCT FROM \(issuer)
                        AND coalesce(l.credentials_void_before <= \(commit.identity.issuedAt.map { Timestamp($0) }), true)
                    FOR NO KEY UPDATE OF a FOR SHARE OF l),
                signed_in AS (
                    UPDATE account a SET last_sign_in_at = \(now),
                        display_name = coalesce(a.display_name, \(identity.displayName))
                    FROM locked WHERE a.project_id = locked.project_id AND a.id = locked.id
                    RETURNING 1),
                \(remembered)\(grants)
                """, consuming: commit.replayKeys)
    }

    /// Creates nothing if the provider no longer has the identity's issuer.
    static func create(
        _ account: Account, with identity: LinkedIdentity, _ commit: SignInCommit, in realm: ID<Realm>
    ) throws -> SQL {
        let code = try insertCode(commit.identity.code, at: commit.committedAt, in: realm, from: "inserted")
        let grants: SQL = code.map { "grants AS (\($0))," } ?? ""
        return create(
            account, opening: try SessionRow(commit.session), in: realm,
            where: "\(issuerStands(for: commit.identity, in: realm)) AND \(isValid(commit.identity, in: realm))",
            after: """
                linked AS (\(linking(identity, to: account.id, at: commit.committedAt, in: realm, from: "inserted"))
                    RETURNING 1),
                \(grants)
                """, consuming: commit.replayKeys)
    }

    /// Locks the account's row if it is unchanged since the decision, and updates it with what the identity proves.
    static func lock(
        _ account: Account, toLink commit: SignInCommit, takesEmail: Bool, where condition: SQL,
        in realm: ID<Realm>
    ) -> SQL {
        let identity = commit.identity
        let offered = takesEmail ? identity.email?.rawValue : nil
        return """
            UPDATE account a SET last_sign_in_at = \(Timestamp(commit.committedAt)),
                email = coalesce(a.email, \(offered)),
                email_verified = a.email_verified OR \(identity.emailTrust == .authoritative)
                    AND coalesce(a.email, \(offered)) IS NOT DISTINCT FROM \(identity.email?.rawValue)
                    AND \(identity.email != nil),
                display_name = coalesce(a.display_name, \(identity.displayName)),
                photo_url = coalesce(a.photo_url, \(identity.photoURL))
            WHERE a.project_id = \(realm.rawValue) AND a.id = \(account.id.rawValue)
                AND \(isAsDecided(account)) AND \(condition)
            """
    }

    /// Removes every credential of the user who created the account.
    static func reclaim(_ account: Account, for commit: SignInCommit, in realm: ID<Realm>) -> SQL {
        var reclaimed = AccountUpdate()
        reclaimed.passwordHash = .remove
        reclaimed.phoneNumber = .remove
        reclaimed.forgetsInitialEmail = true
        reclaimed.emailIsVerified = true
        reclaimed.displayName = AccountUpdate.Value(commit.identity.displayName)
        reclaimed.photoURL = AccountUpdate.Value(commit.identity.photoURL)
        reclaimed.lastSignInAt = commit.committedAt
        reclaimed.sessions = .endAll
        return update(
            account.id, by: reclaimed, at: commit.committedAt, in: realm,
            where: """
                \(isAsDecided(account)) AND \(issuerStands(for: commit.identity, in: realm)) \
                AND \(isValid(commit.identity, in: realm))
                """)
    }

    /// A condition: the account `a` is unchanged since the decision.
    static func isAsDecided(_ account: Account) -> SQL {
        """
        a.generation = \(account.generation) AND a.disabled_at IS NULL \
        AND a.email IS NOT DISTINCT FROM \(account.email?.rawValue) AND a.email_verified = \(account.emailIsVerified)
        """
    }

    /// Consumes each replay key once for each row of `source`. Fails if one was used before, in any tenant of the
    /// project: tenants share the project's apps, and so a credential for an app is valid in each of them.
    static func use(_ replayKeys: [ReplayKey], in realm: ID<Realm>, from source: SQL) -> SQL {
        """
        INSERT INTO replay_guard (project_id, hash, expires_at)
        SELECT \(realm.project.rawValue), decode(k.hash, 'hex'), to_timestamp(k.expires_at)
        FROM \(source), unnest(\(replayKeys.map { Hexadecimal.encode($0.hash) }),
            \(replayKeys.map(\.expiresAt.seconds))) AS k (hash, expires_at)
        """
    }
}
