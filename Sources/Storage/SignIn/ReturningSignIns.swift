internal import FoundationEssentials
internal import Identity
internal import Postgres

/// A sign-in to an account that has the identity.
struct ReturningSignIn: Sendable {
    let account: Account
    let commit: SignInCommit
    let session: SessionRow
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
        session = try SessionRow(commit.session)
        identity = LinkedIdentity(proven, before: before)
        changesIdentity = identity != before
    }

    /// Whether the sign-in can share a statement with other sign-ins: it neither changes the identity nor stores an
    /// authorization code.
    var isBatchable: Bool { !changesIdentity && commit.identity.code == nil }

    /// The account after the sign-in.
    var signedIn: Account { account.signedIn(with: identity, at: commit.committedAt) }
}

/// The result of a statement for one sign-in.
struct SignInAttempt: Sendable {
    /// `false` if the account, the identity or the credential is no longer as it was.
    let isApplied: Bool
    /// Whether the statement waits for locks. If not, ``isApplied`` is also `false` for an account that another
    /// transaction has locked.
    let waitsForLocks: Bool
}

extension PostgresFederationStore {
    /// - Returns: whether the sign-in was applied.
    func apply(_ signIn: ReturningSignIn, in realm: ID<Realm>) async throws -> Bool {
        guard signIn.isBatchable else { return try await pool.execute(.apply(signIn, in: realm)) == 1 }
        let attempt = try await returningSignIns.run(signIn, in: realm)
        guard !attempt.isApplied, !attempt.waitsForLocks else { return attempt.isApplied }
        return try await pool.execute(.apply(signIn, in: realm)) == 1
    }

    static var returningSignIns: Batching<ReturningSignIn, String, SignInAttempt> {
        .writes(exclusiveKeys: { [$0.account.id.rawValue] }) { signIns, realm in
            guard signIns.count == 1 else { return .apply(signIns, in: realm) }
            let single = try SQL.apply(signIns[0], in: realm)
            return "\(single) RETURNING id AS session_id"
        } outcomes: { signIns, rows in
            let opened = Set(try rows.map { try $0.decode("session_id", as: UUID.self) })
            return signIns.map {
                SignInAttempt(isApplied: opened.contains($0.session.id), waitsForLocks: signIns.count == 1)
            }
        }
    }
}

/// The values of a sign-in in a statement.
private struct SignInColumns {
    let account: SQL
    let generation: SQL
    let provider: SQL
    let subject: SQL
    let issuer: SQL
    let issuedAt: SQL
    let displayName: SQL
    let committedAt: SQL

    init(of rows: inout RowValues<ReturningSignIn>) {
        account = rows.column("account_id") { $0.account.id.rawValue }
        generation = rows.column("generation", \.account.generation)
        provider = rows.column("provider") { $0.identity.provider.rawValue }
        subject = rows.column("subject", \.identity.subject)
        issuer = rows.column("issuer", \.commit.identity.issuer)
        issuedAt = rows.time("issued_at", \.commit.identity.issuedAt)
        displayName = rows.column("display_name", \.identity.profile.displayName)
        committedAt = rows.time("committed_at", \.commit.committedAt)
    }
}

extension SQL {
    /// Applies a sign-in. Changes nothing if the account's generation has changed, the account is disabled, the
    /// identity was removed or has another issuer, or the credential is void. Fails if a replay key was used before.
    static func apply(_ signIn: ReturningSignIn, in realm: ID<Realm>) throws -> SQL {
        var row = RowValues(signIn)
        let columns = SignInColumns(of: &row)
        let code = try insertCode(
            signIn.commit.identity.code, at: signIn.commit.committedAt, in: realm, from: "signed_in")
        let updated: SQL =
            signIn.changesIdentity ? "updated_identity AS (\(updateIdentity(signIn.identity, in: realm)))," : ""
        let grants: SQL = code.map { "grants AS (\($0))," } ?? ""
        return openSession(
            signIn.session, in: realm, from: "signed_in",
            after: """
                locked AS (\(unchanged(columns, in: realm)) FOR NO KEY UPDATE OF a FOR SHARE OF l),
                signed_in AS (\(updateAccount(columns)) RETURNING 1),
                \(updated)\(grants)
                """, consuming: signIn.commit.replayKeys)
    }

    /// Applies batchable sign-ins to different accounts. Accounts that other transactions have locked are skipped,
    /// because two statements that wait could wait for each other. If the statement fails because of a replay key, the
    /// ``Batcher`` executes each sign-in alone.
    ///
    /// The condition with `BETWEEN` is always true, but lets the planner expect a single sign-in. Because of the
    /// limits of the lateral subqueries, no plan can read a table before the sign-ins. See `SignInPlanTests`.
    ///
    /// - Returns: a row with the session for each sign-in that was applied.
    static func apply(_ signIns: [ReturningSignIn], in realm: ID<Realm>) -> SQL {
        var rows = RowValues(batch: signIns, as: "s")
        let columns = SignInColumns(of: &rows)
        let authenticatedAt = rows.column("authenticated_at", \.session.authenticatedAt)
        let networkHash = rows.bytes("network_hash", \.session.networkHash)
        let session = SessionColumns(
            id: rows.column("session_id", \.session.id), account: columns.account, generation: columns.generation,
            method: columns.provider, authenticatedAt: authenticatedAt, openedAt: authenticatedAt, claims: "NULL",
            device: rows.column("device", \.session.device), credentialIssuedAt: columns.issuedAt)
        return """
            WITH locked AS (
                SELECT s.*, a.project_id FROM \(rows.source)
                CROSS JOIN LATERAL (\(unchanged(columns, in: realm))
                    LIMIT 1 FOR NO KEY UPDATE OF a SKIP LOCKED FOR SHARE OF l SKIP LOCKED) a
                WHERE s.number BETWEEN 1 AND \(signIns.count)),
            signed_in AS (\(updateAccount(columns)) RETURNING s.*),
            replay_keys AS (\(consume(signIns.map(\.commit.replayKeys), in: realm, from: "signed_in s"))),
            network AS (\(storeKnownNetwork(
                networkHash, of: columns.account, at: authenticatedAt, in: realm, from: "signed_in s")))
            \(insertion(of: session, in: realm, from: "signed_in s")) RETURNING id AS session_id
            """
    }

    /// Selects the account `a` and the identity `l` of a sign-in, if both are unchanged. The caller locks the account's
    /// row first, then the identity's, with a lock that waits for a transaction that removes the identity or makes
    /// credentials void. `FOR KEY SHARE` is not enough, because it does not wait for a transaction that makes
    /// credentials void.
    private static func unchanged(_ signIn: SignInColumns, in realm: ID<Realm>) -> SQL {
        """
        SELECT a.project_id, a.id FROM account a
        JOIN linked_identity l ON l.project_id = a.project_id AND l.account_id = a.id
        WHERE a.project_id = \(realm.rawValue) AND a.id = \(signIn.account)
            AND a.generation = \(signIn.generation) AND a.disabled_at IS NULL
            AND l.provider = \(signIn.provider) AND l.subject = \(signIn.subject)
            AND coalesce(l.issuer, \(signIn.issuer)) IS NOT DISTINCT FROM \(signIn.issuer)
            AND coalesce(l.credentials_void_before <= \(signIn.issuedAt), true)
        """
    }

    private static func updateAccount(_ signIn: SignInColumns) -> SQL {
        """
        UPDATE account a SET last_sign_in_at = \(signIn.committedAt),
            display_name = coalesce(a.display_name, \(signIn.displayName))
        FROM locked s WHERE a.project_id = s.project_id AND a.id = \(signIn.account)
        """
    }
}
