internal import Identity
internal import Postgres

/// The first sign-in with a provider's identity, which creates an account. A class, because a batch copies each of its
/// sign-ins several times.
final class FirstSignIn: Sendable {
    /// A value that only one account can have, or that only one sign-in can use. Sign-ins with a common key are not
    /// executed at the same time.
    enum Key: Hashable {
        case email(EmailAddress)
        case identity(ProviderID, subject: String)
        case replay([UInt8])
    }

    let account: Account
    let identity: LinkedIdentity
    let commit: SignInCommit

    /// - Parameter copiesEmail: whether the account gets the address of the identity.
    init(_ commit: SignInCommit, copiesEmail: Bool) {
        self.commit = commit
        identity = commit.linked
        account = Account(commit.newSession.account, for: identity, copiesEmail: copiesEmail, at: commit.committedAt)
    }

    /// Whether the sign-in can share a statement with other sign-ins. It can if it depends on no configured issuer, and
    /// changes no existing row, such as that of an Apple token that is already stored.
    var isBatchable: Bool {
        !identity.provider.isGenericOpenID && commit.identity.appleToken?.tokenType != .refreshToken
    }

    var uniqueKeys: [Key] {
        var keys = commit.identity.replayKeys.map { Key.replay($0.hash) }
        keys.append(.identity(identity.provider, subject: identity.subject))
        if let email = account.email { keys.append(.email(email)) }
        return keys
    }
}

extension PostgresFederationStore {
    /// Creates an account with the identity, and opens its first session.
    ///
    /// - Throws: ``StoreConflict/stale`` if the provider no longer has the identity's issuer, or if the credential is
    ///   void.
    func create(copiesEmail: Bool, _ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        let signIn = FirstSignIn(commit, copiesEmail: copiesEmail)
        if commit.newSession.hasEffects {
            return try await pool.transaction { transaction in
                guard try await transaction.execute(.create([signIn], in: realm)) == 1 else {
                    throw StoreConflict.stale
                }
                try await transaction.recordOpening(of: commit.newSession, isNewAccount: true, in: realm)
                return signIn.account
            }
        }
        let isCreated =
            signIn.isBatchable
            ? try await firstSignIns.run(signIn, in: realm) : try await pool.execute(.create([signIn], in: realm)) == 1
        guard isCreated else { throw StoreConflict.stale }
        return signIn.account
    }

    /// Creates an account with the address that `former` loses.
    func create(inPlaceOf former: Account, _ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        let signIn = FirstSignIn(commit, copiesEmail: true)
        return try await pool.transaction { transaction in
            try await transaction.apply(
                .disavowing(former), recording: commit.recording, at: commit.committedAt, in: realm)
            guard try await transaction.execute(.create([signIn], in: realm)) == 1 else { throw StoreConflict.stale }
            try await transaction.recordOpening(of: commit.newSession, isNewAccount: true, in: realm)
            try await transaction.enqueue(commit.emailBatch, in: realm)
            return signIn.account
        }
    }

    static var firstSignIns: Batching<FirstSignIn, FirstSignIn.Key, Bool> {
        .writes(exclusiveKeys: \.uniqueKeys) { signIns, realm in
            try .create(signIns, in: realm)
        } outcomes: { signIns, rows in
            let opened = Set(try rows.map { ID<Session>(uuid: try $0.decode("session_id")) })
            return signIns.map { opened.contains($0.commit.newSession.id) }
        }
    }
}

extension SQL {
    /// Creates accounts with their identities and sessions. A sign-in creates no account if the provider no longer has
    /// the identity's issuer, or the credential is void. The statement fails if another account has one of the
    /// addresses or identities, or a replay key was used before.
    ///
    /// - Parameter signIns: one sign-in, or several sign-ins that are batchable.
    /// - Returns: a row with the session ID for each account that was created.
    static func create(_ signIns: [FirstSignIn], in realm: ID<Realm>) throws -> SQL {
        signIns.count == 1 ? try create(signIns[0], in: realm) : try create(batch: signIns, in: realm)
    }

    private static func create(_ signIn: FirstSignIn, in realm: ID<Realm>) throws -> SQL {
        var row = RowValues(signIn)
        let insertions = try FirstSignInInsertions(of: &row, in: realm)
        let identity = signIn.commit.identity
        let keys = identity.replayKeys
        let grant = try insertAppleGrant(
            for: identity.appleToken, at: signIn.commit.committedAt, in: realm, forEachRowOf: "inserted")
        let grants: SQL = grant.map { "grants AS (\($0))," } ?? ""
        let consumed: SQL = keys.isEmpty ? "" : "replay_keys AS (\(consume(keys, in: realm, forEachRowOf: "linked"))),"
        return """
            WITH inserted AS (\(insertions.account)
                WHERE \(hasCurrentIssuer(identity, in: realm)) AND \(hasValidCredential(identity, in: realm)) RETURNING 1),
            linked AS (\(insertions.identity) FROM inserted RETURNING 1), \(grants) \(consumed)
            network AS (\(insertions.network) FROM inserted WHERE \(insertions.hasNetwork))
            \(insertions.session) FROM inserted RETURNING id AS session_id
            """
    }

    /// Inserts accounts, then identities, then replay keys, each in the order of their unique values. Concurrent
    /// sign-ins use the same order, also those that link an identity, so that they do not deadlock. Each condition with
    /// `count(*)` makes an insertion wait for the previous one.
    private static func create(batch signIns: [FirstSignIn], in realm: ID<Realm>) throws -> SQL {
        var rows = RowValues(batch: signIns, as: "s")
        let insertions = try FirstSignInInsertions(of: &rows, in: realm)
        let insertedGrants = try insertAppleGrants(
            for: signIns.map { ($0.commit.identity.appleToken, $0.commit.committedAt) }, in: realm, from: "created s")
        let grants: SQL = insertedGrants.map { "grants AS (\($0))," } ?? ""
        return """
            WITH presented AS MATERIALIZED (
                SELECT s.*, \(hasValidCredential(insertions.provenIdentity, in: realm)) AS is_valid FROM \(rows.source)),
            inserted AS (\(insertions.account) FROM presented s WHERE s.is_valid ORDER BY s.account_email COLLATE "C" RETURNING 1),
            created AS MATERIALIZED (
                SELECT * FROM presented WHERE is_valid AND (SELECT count(*) FROM inserted) > 0),
            linked AS (\(insertions.identity) FROM created s ORDER BY s.provider, s.subject RETURNING 1), \(grants)
            replay_keys AS (\(consume(
                signIns.map(\.commit.identity.replayKeys), in: realm,
                from: "(SELECT * FROM created WHERE (SELECT count(*) FROM linked) > 0) s"))),
            network AS (\(insertions.network) FROM created s WHERE \(insertions.hasNetwork))
            \(insertions.session) FROM created s RETURNING id AS session_id
            """
    }
}

/// The statements that insert the rows of first sign-ins, without their `FROM` clauses.
private struct FirstSignInInsertions {
    /// The identity that the credential of the sign-in proves.
    let provenIdentity: IdentityColumns
    let account: SQL
    let identity: SQL
    let session: SQL
    let network: SQL
    /// The condition of a row of ``network``: the session has the hash of the client's network.
    let hasNetwork: SQL

    init(of rows: inout RowValues<FirstSignIn>, in realm: ID<Realm>) throws {
        let id = rows.column("account_id") { $0.account.id.rawValue }
        let committedAt = rows.time("committed_at", \.commit.committedAt)
        let networkHash = rows.bytes("network_hash", \.commit.newSession.networkHash)
        provenIdentity = IdentityColumns(of: &rows, \.commit.identity)
        account = """
            INSERT INTO account (realm_id, id, \(AccountColumn.namesOfFirstSignIn))
            SELECT \(realm.rawValue), \(id), \(rows.columns(AccountColumn.ofFirstSignIn, of: \.account))
            """
        identity = .insertIdentities(
            &rows, \.identity, withKey: (provenIdentity.provider, provenIdentity.subject), to: id, at: committedAt,
            in: realm)
        session = .insertion(of: try SessionColumns(of: &rows, \.commit.newSession), in: realm)
        network = """
            INSERT INTO known_network (realm_id, account_id, network_hash, last_seen_at)
            SELECT \(realm.rawValue), \(id), \(networkHash), \(committedAt)
            """
        hasNetwork = "\(networkHash) IS NOT NULL"
    }
}
