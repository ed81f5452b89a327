internal import Encoding
internal import FoundationEssentials
public import Identity
public import Postgres

/// ``FederationStore`` on PostgreSQL: stores sign-ins with identities of providers. `UNIQUE` constraints detect
/// conflicts between concurrent sign-ins. A sign-in that fails for this reason throws ``StoreConflict/stale``, and the
/// caller decides again.
public struct PostgresFederationStore: FederationStore {
    let pool: Pool
    let candidates: Batcher<VerifiedIdentity, Never, LinkingCandidates>
    let returningSignIns: Batcher<ReturningSignIn, String, Bool>
    let firstSignIns: Batcher<FirstSignIn, FirstSignIn.Key, Bool>

    public init(pool: Pool) {
        self.pool = pool
        candidates = Batcher(on: pool, Self.candidates)
        returningSignIns = Batcher(on: pool, Self.returningSignIns)
        firstSignIns = Batcher(on: pool, Self.firstSignIns)
    }

    public func commit(_ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        do {
            return try await withStoreErrors {
                switch commit.change {
                case .signIn(let account): try await signIn(account, commit, in: realm)
                case .signInChangingEmail(let account, let email):
                    try await signIn(account, changingEmailTo: email, commit, in: realm)
                case .link(let account, let caller, let copiesEmail):
                    try await link(to: account, by: caller, copiesEmail: copiesEmail, commit, in: realm)
                case .reclaim(let account): try await reclaim(account, commit, in: realm)
                case .create(let copiesEmail): try await create(copiesEmail: copiesEmail, commit, in: realm)
                case .createInPlaceOf(let former): try await create(inPlaceOf: former, commit, in: realm)
                }
            }
        } catch StoreConflict.taken {
            throw StoreConflict.stale
        }
    }

    private func signIn(_ account: Account, _ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        if let transfer = IdentityTransfer(commit.identity, of: account) {
            return try await signIn(account, completing: transfer, commit, in: realm)
        }
        let signIn = try ReturningSignIn(account, commit)
        // A batch skips rows that another transaction has locked. A statement for this sign-in alone waits for them.
        if signIn.isBatchable, try await returningSignIns.run(signIn, in: realm) { return signIn.accountAfterSignIn }
        let statement = try SQL.apply(signIn, in: realm)
        guard commit.newSession.secondFactorUse != nil || commit.newSession.hasEffects else {
            guard try await pool.execute(statement) == 1 else { throw StoreConflict.stale }
            return signIn.accountAfterSignIn
        }
        return try await pool.transaction { transaction in
            try await transaction.beginOpening(of: commit.newSession, in: realm)
            guard try await transaction.execute(statement) == 1 else { throw StoreConflict.stale }
            try await transaction.recordOpening(of: commit.newSession, in: realm)
            return signIn.accountAfterSignIn
        }
    }

    /// Signs in a user for the first time since the app has moved to another Apple team. The transfer of the identity
    /// also applies an event of Apple about the new subject that was received earlier. If this event has made the
    /// credential void, the sign-in fails.
    private func signIn(
        _ account: Account, completing transfer: IdentityTransfer, _ commit: SignInCommit, in realm: ID<Realm>
    ) async throws -> Account {
        try await pool.transaction { transaction in
            try await transaction.lockSubject(of: commit.identity, in: realm)
            _ = try await transaction.execute(.lock([account.id], in: realm))
            try await transaction.beginOpening(of: commit.newSession, in: realm)
            guard
                let transferred = try await transaction.transfer(
                    transfer, of: account, recording: commit.recording, at: commit.committedAt, in: realm)
            else { throw StoreConflict.stale }
            let signIn = try ReturningSignIn(transferred, commit)
            guard try await transaction.execute(.apply(signIn, in: realm)) == 1 else { throw StoreConflict.stale }
            try await transaction.recordOpening(of: commit.newSession, in: realm)
            return signIn.accountAfterSignIn
        }
    }

    /// Signs in, and replaces the address of the account. The account's email action codes become void, because the
    /// mailbox of the former address may contain them. Remedies (codes that reverse a change of the account) stay
    /// valid.
    private func signIn(
        _ account: Account, changingEmailTo email: EmailAddress, _ commit: SignInCommit, in realm: ID<Realm>
    ) async throws -> Account {
        var change = AccountUpdate()
        change.email = .set(email)
        change.emailIsVerified = true
        // The decision also depends on the password and on email links, which `isUnchangedSinceDecision` does not
        // compare.
        let updating = SQL.update(
            account.id, by: change, at: commit.committedAt, in: realm,
            where: "\(SQL.isUnchangedSinceDecision(account)) AND a.password_hash IS NULL AND NOT a.email_link_sign_in")
        let signIn = try ReturningSignIn(account, commit)
        return try await pool.transaction { transaction in
            try await transaction.beginOpening(of: commit.newSession, in: realm)
            guard try await transaction.execute(updating) == 1,
                try await transaction.execute(.apply(signIn, in: realm)) == 1
            else { throw StoreConflict.stale }
            _ = try await transaction.execute(.deleteCodes(exceptRemediesOf: account.id, in: realm))
            try await transaction.record(commit.events, by: commit.recording, at: commit.committedAt, in: realm)
            try await transaction.recordOpening(of: commit.newSession, in: realm)
            try await transaction.enqueue(commit.emailBatch, in: realm)
            var updated = signIn.accountAfterSignIn
            updated.initialEmail = account.initialEmail ?? account.email
            (updated.email, updated.emailIsVerified) = (email, true)
            return updated
        }
    }

    /// Links the identity, and signs in. The first statement locks the account's row, so that transactions change the
    /// account's identities one after the other.
    private func link(
        to account: Account, by caller: Caller?, copiesEmail: Bool, _ commit: SignInCommit, in realm: ID<Realm>
    ) async throws -> Account {
        let isActive: SQL = try caller.map { try SQL.isActive($0.session) } ?? "true"
        let updating = SQL.update(account, linking: commit, copiesEmail: copiesEmail, where: isActive, in: realm)
        let linking = SQL.link(commit.linked, unlessProviderIsLinkedTo: account, commit, in: realm)
        return try await pool.transaction { transaction in
            try await transaction.lockSubject(of: commit.identity, in: realm)
            try await transaction.beginOpening(of: commit.newSession, in: realm)
            guard try await transaction.execute(updating) == 1, try await transaction.execute(linking) == 1 else {
                throw StoreConflict.stale
            }
            return try await transaction.finish(commit, in: realm)
        }
    }

    /// Gives an account to the user who has proven its address. Removes every credential of the user who created the
    /// account.
    private func reclaim(_ account: Account, _ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        try await pool.transaction { transaction in
            try await transaction.lockSubject(of: commit.identity, in: realm)
            try await transaction.beginOpening(of: commit.newSession, in: realm)
            guard try await transaction.execute(.reclaim(account, for: commit, in: realm)) == 1 else {
                throw StoreConflict.stale
            }
            let unlinked = try await transaction.remove(
                .everything, from: account, recording: commit.recording, at: commit.committedAt, in: realm)
            try await transaction.record(
                AccountEvent.unlinking(unlinked, from: account.id), by: commit.recording, at: commit.committedAt,
                in: realm)
            for statement: SQL in [
                .link(commit.linked, to: account.id, at: commit.committedAt, in: realm),
                .deleteCodes(exceptUndoCodesOf: account.id, in: realm),
                .deleteSessions(of: account.id, before: account.generation, in: realm),
            ] { _ = try await transaction.execute(statement) }
            return try await transaction.finish(commit, in: realm)
        }
    }
}

extension Transaction {
    /// Locks the subject of an identity, so that no event about it is applied at the same time. Does nothing for a
    /// provider that sends no events about its users.
    func lockSubject(of identity: VerifiedIdentity, in realm: ID<Realm>) async throws {
        guard identity.issuedAt != nil else { return }
        _ = try await execute(.lockSubject(identity.subject, of: identity.provider, in: realm))
    }

    /// Completes the link of an identity or the reclaim of an account: opens the session, consumes the replay keys, and
    /// stores the events, the authorization code and the emails.
    ///
    /// - Returns: the account after the change.
    fileprivate func finish(_ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account {
        let (id, now) = (commit.newSession.account, commit.committedAt)
        try await record(commit.events, by: commit.recording, at: now, in: realm)
        _ = try await execute(
            .openSession(
                commit.newSession, in: realm, forEachRowOf: .singleRow, consuming: commit.identity.replayKeys))
        try await recordOpening(of: commit.newSession, in: realm)
        if let grant = try SQL.insertAppleGrant(
            for: commit.identity.appleToken, at: now, in: realm, forEachRowOf: .singleRow)
        {
            _ = try await execute(grant)
        }
        try await enqueue(commit.emailBatch, in: realm)
        guard let row = try await query(.find([.id(id)], in: realm)).first else { throw StoreConflict.stale }
        return try AccountRow.account(row)
    }
}

extension SQL {
    /// Updates the account's row, and thereby locks it, if the account is unchanged since the decision. Copies from the
    /// identity the name, photo and address that the account lacks. If the provider is authoritative for the account's
    /// address, marks the address as verified. Ends the earlier sessions if the new one has a new generation.
    ///
    /// - Parameters:
    ///   - copiesEmail: whether an account without an address gets that of the identity.
    ///   - condition: a further condition on the account `a`.
    static func update(
        _ account: Account, linking commit: SignInCommit, copiesEmail: Bool, where condition: SQL,
        in realm: ID<Realm>
    ) -> SQL {
        let identity = commit.identity
        let offered = copiesEmail ? identity.email?.rawValue : nil
        let (now, generation) = (Timestamp(commit.committedAt), commit.newSession.session.generation)
        return """
            UPDATE account a SET last_sign_in_at = \(now), generation = \(generation),
                valid_since = CASE WHEN \(generation) > a.generation THEN date_trunc('second', \(now))
                    ELSE a.valid_since END,
                email = coalesce(a.email, \(offered)),
                email_verified = a.email_verified OR \(identity.emailTrust == .authoritative)
                    AND coalesce(a.email, \(offered)) IS NOT DISTINCT FROM \(identity.email?.rawValue)
                    AND \(identity.email != nil),
                display_name = coalesce(a.display_name, \(identity.profile.displayName)),
                photo_url = coalesce(a.photo_url, \(identity.profile.photoURL?.rawValue))
            WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.id.rawValue)
                AND \(isUnchangedSinceDecision(account)) AND \(condition)
            """
    }

    /// Updates the row of a reclaimed account; see ``AccountUpdate/reclaim``. Replaces the profile, and marks the
    /// address as verified. Other statements delete the rows of other tables.
    static func reclaim(_ account: Account, for commit: SignInCommit, in realm: ID<Realm>) -> SQL {
        var reclaimed = AccountUpdate.reclaim
        reclaimed.emailIsVerified = true
        reclaimed.profile.displayName = AccountUpdate.Value(commit.identity.profile.displayName)
        reclaimed.profile.photoURL = AccountUpdate.Value(commit.identity.profile.photoURL)
        reclaimed.lastSignInAt = commit.committedAt
        return update(
            account.id, by: reclaimed, at: commit.committedAt, in: realm,
            where: """
                \(isUnchangedSinceDecision(account)) AND \(hasCurrentIssuer(commit.identity, in: realm)) \
                AND \(hasValidCredential(commit.identity, in: realm))
                """)
    }

    /// A condition on the account `a`: it is enabled, and still has the generation, the address and the verified flag
    /// of `account`, with which the caller decided what the sign-in or the email action code changes.
    static func isUnchangedSinceDecision(_ account: Account) -> SQL {
        """
        a.generation = \(account.generation) AND a.disabled_at IS NULL \
        AND a.email IS NOT DISTINCT FROM \(account.email?.rawValue) AND a.email_verified = \(account.emailIsVerified)
        """
    }

    /// Consumes the replay keys once for each row of `source`. Fails if one of them was used before in the project or
    /// any of its tenants. Tenants share the project's apps, so a credential for an app would be valid in each of them.
    static func consume(_ replayKeys: [ReplayKey], in realm: ID<Realm>, forEachRowOf source: SQL) -> SQL {
        let keys: SQL = """
            unnest(\(replayKeys.map { Hexadecimal.encode($0.hash) }), \(replayKeys.map(\.expiresAt.seconds))) \
            AS k (hash, expires_at)
            """
        return consume(from: "\(source), \(keys) ORDER BY k.hash", in: realm)
    }

    /// Consumes the replay keys of a batch of sign-ins.
    ///
    /// - Parameters:
    ///   - replayKeys: the keys of each sign-in.
    ///   - source: a table expression with the alias `s`. Its column `number` is the position of the sign-in in
    ///     `replayKeys`, counted from 1.
    static func consume(_ replayKeys: [[ReplayKey]], in realm: ID<Realm>, from source: SQL) -> SQL {
        let keys = replayKeys.enumerated().flatMap { index, keys in keys.map { (number: index + 1, key: $0) } }
        let presented: SQL = """
            unnest((SELECT \(keys.map(\.number))), (SELECT \(keys.map { Hexadecimal.encode($0.key.hash) })),
                (SELECT \(keys.map(\.key.expiresAt.seconds)))) AS k (number, hash, expires_at)
            """
        return consume(from: "\(source) JOIN \(presented) ON k.number = s.number ORDER BY k.hash", in: realm)
    }

    /// - Parameter source: a table expression in which the alias `k` has the columns `hash` and `expires_at`.
    private static func consume(from source: SQL, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO replay_guard (realm_id, hash, expires_at)
        SELECT \(realm.project.rawValue), decode(k.hash, 'hex'), to_timestamp(k.expires_at) FROM \(source)
        """
    }
}
