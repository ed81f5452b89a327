internal import Identity
internal import Postgres

/// The undo of a merge. The merge deleted its source, whose data went to the target; the undo restores the source from
/// the merge record.
extension Transaction {
    /// Undoes a merge for an administrator.
    ///
    /// - Returns: the ID of the target.
    /// - Throws: ``UndoRefusal``; ``StoreConflict/notFound``; ``StoreConflict/taken(_:)``.
    func undoMerge(
        of source: ID<Account>, allowsNoSignInMethod: Bool, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> ID<Account> {
        // Locks the target's row before the row of the merge, in the same order as a deletion of the target.
        guard let unlocked = try await query(.mergeRecord(of: source, in: realm)).first else {
            throw StoreConflict.notFound
        }
        _ = try await execute(.lock([ID(try unlocked.decode("target_id"))], in: realm))
        guard let row = try await query(.mergeRecord(of: source, locking: true, in: realm)).first else {
            throw StoreConflict.notFound
        }
        let merge = try MergeRecord(row)
        // The plan names the target of the merge. If `target_id` differs, this target was itself merged into another
        // account later, and its ID may have been assigned again.
        guard try row.decode("target_id") == merge.plan.target.rawValue else { throw StoreConflict.notFound }
        guard let found = try await query(.find([.id(merge.plan.target)], in: realm)).first else {
            throw StoreConflict.notFound
        }
        let target = try AccountRow.account(found)
        let remaining = try merge.targetAfterUndo(from: target, allowsNoSignInMethod: allowsNoSignInMethod, at: now)
        try await removeSourceMembers(
            leaving: remaining, from: target, removesEmail: merge.plan.movesEmail, at: now, in: realm)
        try await reinsertSource(
            source, of: merge, returnsEmail: true, returnsPassword: true, provesEmail: false,
            returnsPhoneNumber: true, at: now, in: realm)
        let moved = merge.plan.identities
        let returning = SQL.moveBackIdentities(moved, to: source, from: target.id, at: now, in: realm)
        guard try await execute(returning) == moved.count else {
            throw UndoRefusal.changedSinceMerge(.identity)
        }
        try await finishUndoing(merge, from: target.id, recording: recording, at: now, in: realm)
        return target.id
    }

    /// Removes from the target the members that came from the source. Ends the target's sessions, because some of them
    /// may have been opened with a removed sign-in method.
    ///
    /// - Parameters:
    ///   - remaining: the target after the removal.
    ///   - removesEmail: whether the target loses the source's address, and with the address the password.
    func removeSourceMembers(
        leaving remaining: Account, from target: Account, removesEmail: Bool, at now: Instant, in realm: ID<Realm>
    ) async throws {
        for statement: SQL in [
            .removeSourceMembers(leaving: remaining, from: target, removesEmail: removesEmail, at: now, in: realm),
            .deleteSessions(of: target.id, before: target.generation, in: realm),
            .deleteCodes(exceptRemediesOf: target.id, in: realm), .updateTargetGeneration(of: target, in: realm),
        ] { _ = try await execute(statement) }
    }

    /// Inserts the source's row again, without identities.
    ///
    /// - Parameters:
    ///   - returnsEmail: whether the source gets back its email address and its sign-in with email links.
    ///   - returnsPassword: whether it also gets back its password.
    ///   - provesEmail: whether the user has proven the mailbox of the address, so that the address becomes verified.
    ///   - returnsPhoneNumber: whether the source gets back its phone number.
    /// - Throws: ``StoreConflict/taken(_:)`` if the ID has been assigned again.
    func reinsertSource(
        _ source: ID<Account>, of merge: MergeRecord, returnsEmail: Bool, returnsPassword: Bool, provesEmail: Bool,
        returnsPhoneNumber: Bool, at now: Instant, in realm: ID<Realm>
    ) async throws {
        // `restore` then takes the columns from the merge record. If a migration has added a column since the merge,
        // the record has no value for it, and the default in this row stays.
        let placeholder = Account(id: source, createdAt: now, validSince: now)
        _ = try await execute(.insertion(of: StoredAccount(account: placeholder), in: realm))
        guard try await execute(.deleteTombstone(source, deletedAt: merge.mergedAt, in: realm)) == 1 else {
            throw StoreConflict.taken(.id)
        }
        _ = try await execute(
            .restore(
                source, returnsEmail: returnsEmail, returnsPassword: returnsPassword, provesEmail: provesEmail,
                returnsPhoneNumber: returnsPhoneNumber, at: now, in: realm))
    }

    /// Assigns to the source the merges that were made into it earlier, and the codes that undo them. Deletes the
    /// record of `merge` and its codes. Records the events of the undo.
    ///
    /// - Parameter target: the account that the source is restored from. It is not the target of the merge if that
    ///   target was later merged into this account.
    func finishUndoing(
        _ merge: MergeRecord, from target: ID<Account>, recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        let source = merge.plan.source
        for statement: SQL in [
            .voidUndoCodes(of: source, from: target, in: realm),
            .returnFactors(to: source, in: realm), .countFactors(of: source, in: realm),
            .returnPasskeys(of: merge, from: target, in: realm),
            .countPasskeys(of: source, in: realm),
            .returnEarlierFactors(to: source, from: target, in: realm),
            .returnEarlierMerges(to: source, from: target, in: realm),
            .returnUndoCodes(to: source, from: target, in: realm), .deleteRecord(of: merge, in: realm),
        ] { _ = try await execute(statement) }
        try await countPasskeys(of: target, by: recording.actor, at: now, in: realm)
        try await record(merge.events(undoingFrom: target), by: recording, at: now, in: realm)
    }
}

extension MergeRecord {
    init(_ row: Row) throws {
        self.init(
            plan: try MergePlan(columnText: row.decode("plan")), source: try AccountRow.account(row),
            targetGeneration: try row.decode("target_generation"),
            targetHadSignInMethod: try row.decode("target_had_sign_in_method"),
            targetUsedEmailLinks: try row.decode("target_used_email_links"),
            mergedAt: Instant(try row.decode("merged_at")), undoableUntil: Instant(try row.decode("undo_until")))
    }
}

extension SQL {
    /// Selects a merge record with the source as it was before the merge. A column that a migration has added to the
    /// table `account` since the merge has the target's value.
    static func mergeRecord(
        of source: ID<Account>, locking: Bool = false, in realm: ID<Realm>
    ) -> SQL {
        let lock: SQL = locking ? "FOR UPDATE OF m" : ""
        return """
            SELECT m.target_id, m.merged_at, m.undo_until, m.target_generation, m.snapshot ->> 'plan' AS plan,
                (m.snapshot ->> 'targetHadSignInMethod')::boolean AS target_had_sign_in_method,
                (m.snapshot ->> 'targetUsedEmailLinks')::boolean AS target_used_email_links, \(AccountRow.columns)
            FROM account_merge m JOIN account t ON t.realm_id = m.realm_id AND t.id = m.target_id,
                LATERAL jsonb_populate_record(t, m.snapshot -> 'account') a
            WHERE m.realm_id = \(realm.rawValue) AND m.source_id = \(source.rawValue) AND m.snapshot ? 'plan'
            \(lock)
            """
    }

    /// Selects the merge that was committed with this precondition.
    static func mergeRecord(by precondition: MergePrecondition, in realm: ID<Realm>) -> SQL {
        """
        SELECT undo_until FROM account_merge
        WHERE realm_id = \(realm.rawValue) AND source_id = \(precondition.plan.source.rawValue)
            AND target_id = \(precondition.plan.target.rawValue)
            AND (snapshot #>> '{account,generation}')::bigint = \(precondition.sourceGeneration)
        """
    }

    fileprivate static func removeSourceMembers(
        leaving remaining: Account, from target: Account, removesEmail: Bool, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        var changes = AccountUpdate()
        changes.email = AccountUpdate.Value(remaining.email)
        changes.emailIsVerified = remaining.emailIsVerified
        if removesEmail { changes.passwordHash = .remove }
        changes.usesEmailLinks = remaining.usesEmailLinks
        // Setting the number that the account has would remove the times of its proof and its addition.
        if remaining.phoneNumber != target.phoneNumber {
            changes.phoneNumber = AccountUpdate.Value(remaining.phoneNumber)
        }
        changes.profile.displayName = AccountUpdate.Value(remaining.displayName)
        changes.profile.photoURL = AccountUpdate.Value(remaining.photoURL)
        changes.endsSessions = true
        return update(remaining.id, by: changes, at: now, in: realm)
    }

    /// Deletes the tombstone of the source (the row that reserves its ID). Does nothing if the ID has been assigned
    /// again, even if the new account was deleted later: its tombstone has another time.
    fileprivate static func deleteTombstone(_ source: ID<Account>, deletedAt: Instant, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM deleted_account WHERE realm_id = \(realm.rawValue) AND id = \(source.rawValue)
            AND deleted_at = \(Timestamp(deletedAt))
        """
    }

    /// Replaces the inserted row of the source by the row in the merge record. The new generation keeps the source's
    /// sessions ended.
    fileprivate static func restore(
        _ source: ID<Account>, returnsEmail: Bool, returnsPassword: Bool, provesEmail: Bool, returnsPhoneNumber: Bool,
        at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH removed AS (
            DELETE FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id = \(source.rawValue)
            RETURNING to_jsonb(a) AS columns)
        INSERT INTO account
        SELECT restored.* FROM removed, account_merge m, LATERAL jsonb_populate_record(NULL::account,
            removed.columns || (m.snapshot -> 'account') || jsonb_build_object(
                'generation', (m.snapshot #>> '{account,generation}')::bigint + 1,
                'valid_since', date_trunc('second', \(Timestamp(now))))
            || CASE WHEN \(returnsEmail) THEN '{}'::jsonb ELSE jsonb_build_object('email', NULL,
                'email_verified', false, 'password_hash', NULL, 'password_updated_at', NULL,
                'email_link_sign_in', false) END
            || CASE WHEN \(returnsPassword) THEN '{}'::jsonb
                ELSE jsonb_build_object('password_hash', NULL, 'password_updated_at', NULL) END
            || CASE WHEN \(returnsEmail && provesEmail) THEN jsonb_build_object('email_verified', true)
                ELSE '{}'::jsonb END
            || CASE WHEN \(returnsPhoneNumber) THEN '{}'::jsonb
                ELSE jsonb_build_object(
                    'phone_number', NULL, 'phone_proven_at', NULL, 'phone_added_at', NULL) END) restored
        WHERE m.realm_id = \(realm.rawValue) AND m.source_id = \(source.rawValue)
        """
    }

    fileprivate static func voidUndoCodes(
        of source: ID<Account>, from target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        DELETE FROM oob_code WHERE realm_id = \(realm.rawValue) AND account_id = \(target.rawValue)
            AND purpose = \(OOBCode.Purpose.undoMerge.rawValue) AND source_id = \(source.rawValue)
        """
    }

    /// Assigns to the source the merges that were made into it earlier.
    fileprivate static func returnEarlierMerges(
        to source: ID<Account>, from target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE account_merge SET target_id = \(source.rawValue)
        WHERE realm_id = \(realm.rawValue) AND target_id = \(target.rawValue)
            AND source_id IN (\(earlierMerges(of: source, in: realm)))
        """
    }

    /// Assigns to the source the factors of the accounts that were merged into it earlier.
    fileprivate static func returnEarlierFactors(
        to source: ID<Account>, from target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE second_factor SET account_id = \(source.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(target.rawValue)
            AND merged_from IN (\(earlierMerges(of: source, in: realm)))
        """
    }

    fileprivate static func returnUndoCodes(
        to source: ID<Account>, from target: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE oob_code SET account_id = \(source.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(target.rawValue)
            AND purpose = \(OOBCode.Purpose.undoMerge.rawValue) AND source_id IN (\(earlierMerges(of: source, in: realm)))
        """
    }

    private static func earlierMerges(of source: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        SELECT jsonb_array_elements_text(m.snapshot -> 'earlierMerges') FROM account_merge m
        WHERE m.realm_id = \(realm.rawValue) AND m.source_id = \(source.rawValue)
        """
    }

    fileprivate static func deleteRecord(of merge: MergeRecord, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM account_merge WHERE realm_id = \(realm.rawValue) AND source_id = \(merge.plan.source.rawValue)
        """
    }

    /// Keeps other merges into the target undoable, although this undo starts a new generation of the target. Only a
    /// generation that a change of the target's credentials has started prevents an undo.
    fileprivate static func updateTargetGeneration(of target: Account, in realm: ID<Realm>) -> SQL {
        """
        UPDATE account_merge SET target_generation = \(target.generation + 1)
        WHERE realm_id = \(realm.rawValue) AND target_id = \(target.id.rawValue)
            AND target_generation = \(target.generation)
        """
    }
}
