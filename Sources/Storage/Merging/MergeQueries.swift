internal import Identity
internal import Postgres

extension Transaction {
    /// Merges the source of `merge` into its target, and deletes the source.
    ///
    /// - Parameters:
    ///   - signIn: the sign-in of a client's merge; `nil` for an administrator's. A client merges no source whose
    ///     address a valid email action code can restore.
    ///   - roles: whether the accounts may have roles in the console, or invitations.
    ///   - notices: builds the emails that announce the merge.
    /// - Returns: the target after the merge.
    /// - Throws: ``StoreConflict/stale`` if the accounts no longer match the precondition; ``MergeRefusal`` if they
    ///   cannot be merged; ``AdministratorRefusal/lastOwner``; ``StoreConflict/alreadyUsed`` if a replay key was used
    ///   before.
    func apply(
        _ merge: AccountMerge, with signIn: MergeSignIn?, roles: MergedRoles, recording: EventRecording,
        announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> Account {
        let precondition = merge.precondition
        let (sourceID, targetID) = (precondition.plan.source, precondition.plan.target)
        try await requireRemainingOwner(without: [sourceID], in: realm)
        _ = try await execute(.consume(merge.replayKeys, in: realm, forEachRowOf: .singleRow))
        _ = try await execute(.lock([sourceID, targetID], in: realm))
        let recoveries = try await query(.recoveries(of: [sourceID, targetID], at: merge.mergedAt, in: realm))
            .map { try MergedAccounts.Recovery($0) }
        if signIn != nil {
            guard !recoveries.contains(where: { $0.account == sourceID }) else { throw MergeRefusal.recoveryPending }
        }
        if case .rejected(let refusal) = roles, try await hasAdministrator(among: [sourceID, targetID], in: realm) {
            throw refusal
        }
        let accounts = try await query(.find([.id(sourceID), .id(targetID)], in: realm))
            .map { try AccountRow.account($0) }
        guard let source = accounts.first(where: { $0.id == sourceID }),
            let target = accounts.first(where: { $0.id == targetID }),
            try MergePrecondition(of: source, into: target) == precondition
        else { throw StoreConflict.stale }
        if let signIn, !signIn.proves(target) { throw StoreConflict.stale }
        let statements: [SQL] = [
            .deleteFactors(ofEarlierSource: sourceID, in: realm),
            try .insertMergeRecord(of: source, into: target, for: merge, in: realm),
            .moveIdentities(of: sourceID, to: targetID, at: merge.mergedAt, in: realm),
            .moveFactors(from: sourceID, to: targetID, in: realm),
            .movePasskeys(from: sourceID, to: targetID, at: merge.mergedAt, in: realm),
            .moveAppTransactions(from: sourceID, to: targetID, in: realm),
            .countPasskeys(of: targetID, in: realm),
            .moveMerges(from: sourceID, to: targetID, in: realm),
            .moveUndoCodes(from: sourceID, to: targetID, in: realm),
            try .deleteSource(sourceID, by: recording.actor, now: merge.mergedAt, in: realm),
            .transferMembers(of: source, to: target, for: merge, signsIn: signIn != nil, in: realm),
        ]
        for statement in statements { _ = try await execute(statement) }
        try await record(merge.events, by: recording, at: merge.mergedAt, in: realm)
        guard let row = try await query(.find([.id(targetID)], in: realm)).first else { throw StoreConflict.stale }
        let account = try AccountRow.account(row)
        let merged = MergedAccounts(source: source, target: account, recoveries: recoveries)
        try await enqueue(try notices.emailBatch(for: merged), in: realm)
        return account
    }
}

extension MergedAccounts.Recovery {
    fileprivate init(_ row: Row) throws {
        self.init(account: ID(try row.decode("account_id")), email: try OOBCodeRow.email(row, "email"))
    }
}

extension SQL {
    /// Selects the addresses that valid email action codes can restore to the accounts. A code that recovers an address
    /// can restore one, and so can a code that removes a sign-in method, if the code was sent to an earlier address. No
    /// new code is created while the caller holds locks on the rows of the accounts.
    static func recoveries(of accounts: [ID<Account>], at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        SELECT DISTINCT c.account_id, c.email FROM oob_code c
        JOIN account a ON a.realm_id = c.realm_id AND a.id = c.account_id
        WHERE c.realm_id = \(realm.rawValue) AND c.account_id = ANY (\(accounts.map(\.rawValue)))
            AND c.expires_at > \(Timestamp(now)) AND (c.purpose = \(OOBCode.Purpose.recoverEmail.rawValue)
                OR c.purpose = ANY (\(OOBCode.Purpose.additionRemedies)) AND c.email IS DISTINCT FROM a.email)
        ORDER BY c.account_id, c.email
        """
    }

    /// Locks the rows of accounts, in the order of IDs, so that concurrent changes of the same accounts do not
    /// deadlock.
    static func lock(_ accounts: [ID<Account>], in realm: ID<Realm>) -> SQL {
        """
        SELECT id FROM account WHERE realm_id = \(realm.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))
        ORDER BY id FOR UPDATE
        """
    }

    /// Stores what an undo needs to restore the source: its row, its identities, when its passkeys were added, the
    /// merge plan, and the sources of earlier merges into it. Replaces the record of an earlier merge whose source had
    /// the same ID.
    fileprivate static func insertMergeRecord(
        of source: Account, into target: Account, for merge: AccountMerge, in realm: ID<Realm>
    ) throws -> SQL {
        """
        INSERT INTO account_merge (realm_id, source_id, target_id, merged_at, undo_until, target_generation, snapshot)
        SELECT a.realm_id, a.id, \(target.id.rawValue), \(Timestamp(merge.mergedAt)),
            \(Timestamp(merge.undoableUntil)), \(target.generation),
            jsonb_build_object('account', to_jsonb(a), 'plan', \(try merge.precondition.plan.columnText())::text::jsonb,
                'identities', (SELECT coalesce(jsonb_agg(to_jsonb(l)), '[]') FROM linked_identity l
                    WHERE l.realm_id = a.realm_id AND l.account_id = a.id),
                'passkeys', (SELECT coalesce(jsonb_agg(jsonb_build_object('rp_id', p.rp_id,
                    'credential_id', p.credential_id, 'added_at', p.added_at)), '[]') FROM passkey p
                    WHERE p.realm_id = a.realm_id AND p.account_id = a.id),
                'earlierMerges', (SELECT coalesce(jsonb_agg(f.source_id), '[]') FROM account_merge f
                    WHERE f.realm_id = a.realm_id AND f.target_id = a.id),
                'targetHadSignInMethod', \(target.hasSignInMethod)::boolean,
                'targetUsedEmailLinks', \(target.usesEmailLinks)::boolean)
        FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id = \(source.id.rawValue)
        ON CONFLICT (realm_id, source_id) DO UPDATE SET target_id = excluded.target_id,
            merged_at = excluded.merged_at, undo_until = excluded.undo_until,
            target_generation = excluded.target_generation, snapshot = excluded.snapshot
        """
    }

    fileprivate static func moveIdentities(
        of source: ID<Account>, to target: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE linked_identity SET account_id = \(target.rawValue), linked_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND account_id = \(source.rawValue)
        """
    }

    /// Assigns to the target the merges that were made into the source earlier, so that they can still be undone.
    fileprivate static func moveMerges(
        from source: ID<Account>, to target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE account_merge SET target_id = \(target.rawValue)
        WHERE realm_id = \(realm.rawValue) AND target_id = \(source.rawValue)
        """
    }

    /// Assigns to the target the email action codes that undo merges into the source.
    fileprivate static func moveUndoCodes(
        from source: ID<Account>, to target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE oob_code SET account_id = \(target.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(source.rawValue)
            AND purpose = \(OOBCode.Purpose.undoMerge.rawValue)
        """
    }

    /// Sets the members that the target receives from the source. The row of the source is already deleted, so the
    /// password hash comes from the merge record. The time of the merge is stored as the time of the password change.
    fileprivate static func transferMembers(
        of source: Account, to target: Account, for merge: AccountMerge, signsIn: Bool, in realm: ID<Realm>
    ) -> SQL {
        let plan = merge.precondition.plan
        var changes = AccountUpdate()
        if plan.movesEmail {
            changes.email = AccountUpdate.Value(source.email)
            changes.emailIsVerified = source.emailIsVerified
            // `passwordHash` below replaces this value: the hash is read from the merge record.
            changes.passwordHash = source.hasPassword ? .set("") : .remove
            changes.usesEmailLinks = source.usesEmailLinks
        }
        if plan.movesPhoneNumber {
            changes.phoneNumber = AccountUpdate.Value(source.phoneNumber)
            changes.phoneProvenAt = AccountUpdate.Value(source.phoneProvenAt)
            changes.phoneAddedAt = .set(merge.mergedAt)
        }
        if plan.movesDisplayName { changes.profile.displayName = AccountUpdate.Value(source.displayName) }
        if plan.movesPhoto { changes.profile.photoURL = AccountUpdate.Value(source.photoURL) }
        if signsIn { changes.lastSignInAt = merge.mergedAt }
        return update(
            target.id, by: changes, at: merge.mergedAt, in: realm,
            where: "m.realm_id = a.realm_id AND m.source_id = \(source.id.rawValue)",
            from: "FROM account_merge m", passwordHash: "m.snapshot #>> '{account,password_hash}'")
    }
}
