internal import FoundationEssentials
internal import Identity
internal import Postgres

/// A sign-in with an identity that is already linked to an account. A class, because a batch copies each of its
/// sign-ins several times.
final class ReturningSignIn: Sendable {
    let account: Account
    let commit: SignInCommit
    /// The identity after the sign-in.
    let identity: LinkedIdentity
    /// Whether the identity has new values to store.
    let changesIdentity: Bool

    /// - Throws: ``StoreConflict/stale`` if the account does not have the identity.
    init(_ account: Account, _ commit: SignInCommit) throws {
        let proven = commit.identity
        guard let before = account.identity(proven.provider, subject: proven.subject) else { throw StoreConflict.stale }
        self.account = account
        self.commit = commit
        identity = LinkedIdentity(proven, before: before)
        changesIdentity = identity != before
    }

    /// Whether the sign-in can share a statement with other sign-ins. It can if it neither changes the identity, nor
    /// stores an authorization code, nor consumes a second factor, nor records an event.
    var isBatchable: Bool {
        !changesIdentity && commit.identity.appleToken == nil && commit.newSession.secondFactorUse == nil
            && !commit.newSession.hasEffects && commit.newSession.session.claims == nil
    }

    /// The account after the sign-in.
    var accountAfterSignIn: Account { account.signedIn(with: identity, at: commit.committedAt) }
}

extension PostgresFederationStore {
    /// Applies sign-ins in batches. The outcome is whether the sign-in was applied. A batch also skips a sign-in if
    /// another transaction has locked the account or the identity.
    static var returningSignIns: Batching<ReturningSignIn, String, Bool> {
        .writes(exclusiveKeys: { [$0.account.id.rawValue] }) { signIns, realm in
            guard signIns.count == 1 else { return try .apply(signIns, in: realm) }
            let single = try SQL.apply(signIns[0], in: realm)
            return "\(single) RETURNING id AS session_id"
        } outcomes: { signIns, rows in
            let opened = Set(try rows.map { ID<Session>(uuid: try $0.decode("session_id")) })
            return signIns.map { opened.contains($0.commit.newSession.id) }
        }
    }
}

/// SQL expressions for the values of a sign-in: parameters, or the columns of a batch.
private struct SignInColumns {
    let account: SQL
    let generation: SQL
    let provider: SQL
    let subject: SQL
    let issuer: SQL
    let issuedAt: SQL
    let tokenIssuedAt: SQL
    let displayName: SQL
    let committedAt: SQL

    init(of rows: inout RowValues<ReturningSignIn>) {
        account = rows.column("account_id") { $0.account.id.rawValue }
        generation = rows.column("generation", \.account.generation)
        provider = rows.column("provider") { $0.identity.provider.rawValue }
        subject = rows.column("subject", \.identity.subject)
        issuer = rows.column("issuer", \.commit.identity.issuer)
        issuedAt = rows.time("issued_at", \.commit.identity.issuedAt)
        tokenIssuedAt = rows.time("token_issued_at", \.commit.identity.tokenIssuedAt)
        displayName = rows.column("display_name", \.identity.profile.displayName)
        committedAt = rows.time("committed_at", \.commit.committedAt)
    }
}

extension SQL {
    /// Applies a sign-in. Changes nothing if the account's generation has changed, the account is disabled, the
    /// identity was removed, suspended or has another issuer, or the credential is void. Fails if a replay key was used
    /// before.
    static func apply(_ signIn: ReturningSignIn, in realm: ID<Realm>) throws -> SQL {
        var row = RowValues(signIn)
        let columns = SignInColumns(of: &row)
        let grant = try insertAppleGrant(
            for: signIn.commit.identity.appleToken, at: signIn.commit.committedAt, in: realm,
            forEachRowOf: "signed_in")
        let updated: SQL =
            signIn.changesIdentity ? "updated_identity AS (\(updateIdentity(signIn.identity, in: realm)))," : ""
        let grants: SQL = grant.map { "grants AS (\($0))," } ?? ""
        return try openSession(
            signIn.commit.newSession, in: realm, forEachRowOf: "signed_in",
            with: """
                locked AS (\(unchangedRows(of: columns, in: realm)) FOR NO KEY UPDATE OF a FOR SHARE OF l),
                signed_in AS (\(updateAccount(columns)) RETURNING 1),
                \(updated)\(grants)
                """, consuming: signIn.commit.identity.replayKeys)
    }

    /// Applies batchable sign-ins to different accounts. Skips accounts and identities that other transactions have
    /// locked: if such statements waited for locks, two of them could wait for each other. If the statement fails
    /// because of a replay key, the ``Batcher`` executes each sign-in alone.
    ///
    /// The condition with `BETWEEN` is always true, but makes the planner expect a single sign-in. Because the lateral
    /// subquery has a limit, every plan reads the sign-ins before the tables. See `SignInQueryPlanTests`.
    ///
    /// - Returns: a row with the session ID of each sign-in that was applied.
    static func apply(_ signIns: [ReturningSignIn], in realm: ID<Realm>) throws -> SQL {
        var rows = RowValues(batch: signIns, as: "s")
        let columns = SignInColumns(of: &rows)
        let authenticatedAt = rows.time("authenticated_at", \.commit.newSession.session.authenticatedAt)
        let networkHash = rows.bytes("network_hash", \.commit.newSession.networkHash)
        let session = SessionColumns(
            id: try rows.column("session_id") { try UUID($0.commit.newSession.id) }, account: columns.account,
            generation: columns.generation, method: columns.provider, authenticatedAt: authenticatedAt,
            openedAt: authenticatedAt, claims: "NULL", secondFactor: "NULL", secondFactorID: "NULL", passkey: "NULL",
            device: rows.column("device", \.commit.newSession.session.device),
            app: rows.columnUnlessAllNull("app_id", \.commit.newSession.knownApp), credentialIssuedAt: columns.issuedAt)
        // All sessions of a batch are of one realm, so they have the same limit, unless it is being changed.
        let limit = signIns.map(\.commit.newSession.limitToEnforce).max() ?? 0
        let excess = endExcessSessions(over: limit, opening: session, in: realm, forEachRowOf: "signed_in s")
        let limited: SQL = limit == 0 ? "" : "limited AS (\(excess)),"
        return """
            WITH locked AS (
                SELECT s.*, a.realm_id FROM \(rows.source)
                CROSS JOIN LATERAL (\(unchangedRows(of: columns, in: realm))
                    LIMIT 1 FOR NO KEY UPDATE OF a SKIP LOCKED FOR SHARE OF l SKIP LOCKED) a
                WHERE s.number BETWEEN 1 AND \(signIns.count)),
            signed_in AS (\(updateAccount(columns)) RETURNING s.*),
            replay_keys AS (\(consume(signIns.map(\.commit.identity.replayKeys), in: realm, from: "signed_in s"))),
            \(limited) network AS (\(storeKnownNetwork(
                networkHash, of: columns.account, at: authenticatedAt, in: realm, forEachRowOf: "signed_in s")))
            \(insertion(of: session, in: realm, forEachRowOf: "signed_in s")) RETURNING id AS session_id
            """
    }

    /// Selects the account `a` and the identity `l` of a sign-in, if both are unchanged. The caller locks the account's
    /// row first, and then the identity's row with `FOR SHARE`. This lock waits for a transaction that removes the
    /// identity or makes credentials void; `FOR KEY SHARE` would not wait for the latter.
    private static func unchangedRows(of signIn: SignInColumns, in realm: ID<Realm>) -> SQL {
        """
        SELECT a.realm_id, a.id FROM account a
        JOIN linked_identity l ON l.realm_id = a.realm_id AND l.account_id = a.id
        WHERE a.realm_id = \(realm.rawValue) AND a.id = \(signIn.account)
            AND a.generation = \(signIn.generation) AND a.disabled_at IS NULL
            AND l.provider = \(signIn.provider) AND l.subject = \(signIn.subject)
            AND coalesce(l.issuer, \(signIn.issuer)) IS NOT DISTINCT FROM \(signIn.issuer)
            AND coalesce(l.credentials_void_before <= coalesce(\(signIn.issuedAt), \(signIn.tokenIssuedAt)), true)
            AND l.suspended_at IS NULL
        """
    }

    /// Records the sign-in in the account's row, if the common table expression `locked` has a row for it.
    private static func updateAccount(_ signIn: SignInColumns) -> SQL {
        """
        UPDATE account a SET last_sign_in_at = \(signIn.committedAt),
            display_name = coalesce(a.display_name, \(signIn.displayName))
        FROM locked s WHERE a.realm_id = s.realm_id AND a.id = \(signIn.account)
        """
    }
}
