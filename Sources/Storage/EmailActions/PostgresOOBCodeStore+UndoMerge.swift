internal import Encoding
public import Identity
internal import Postgres

/// Undoes a merge for a user who has opened the link in the notice of the merge. The merge deleted its source, whose
/// data went to the target; the undo restores the source.
extension PostgresOOBCodeStore {
    public func undoMerge(_ undoing: MergeUndoing, in realm: ID<Realm>) async throws -> Account {
        do {
            return try await withStoreErrors {
                try await pool.transaction { try await undo(undoing, in: realm, $0) }
            }
        } catch StoreConflict.taken(let member) where member != .id {
            // `undo` has read the accounts that have the source's address, phone number or identities. Another account
            // has received one of these since.
            throw StoreConflict.stale
        }
    }

    /// Reads the merge and its holders (the accounts that have a value of the source now), locks the holders, and reads
    /// both again. Then applies the undo.
    private func undo(
        _ undoing: MergeUndoing, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        guard let source = undoing.code.source,
            let unlocked = try await transaction.undoableMerge(undoing, locking: false, in: realm)
        else { throw StoreConflict.notFound }
        _ = try await transaction.execute(.lock([unlocked.target] + unlocked.holders.map(\.id), in: realm))
        guard let locked = try await transaction.undoableMerge(undoing, locking: true, in: realm) else {
            throw StoreConflict.notFound
        }
        guard locked.target == unlocked.target, Set(locked.holders.map(\.id)) == Set(unlocked.holders.map(\.id)),
            let target = locked.holders.first(where: { $0.id == locked.target })
        else { throw StoreConflict.stale }
        guard try await transaction.execute(.redeem(undoing.code, at: undoing.undoneAt, in: realm)) == 1 else {
            throw StoreConflict.alreadyUsed
        }
        let reversal = MergeReversal(of: locked.merge, from: target, among: locked.holders)
        try await apply(reversal, of: locked.merge, from: target, undoing, in: realm, transaction)
        guard let row = try await transaction.query(.find([.id(source)], in: realm)).first else {
            throw StoreConflict.stale
        }
        let account = try AccountRow.account(row)
        let reset = undoing.resetCode(of: account).map { [$0] } ?? []
        try await transaction.enqueue(EmailBatch(codes: reset), in: realm)
        return account
    }

    private func apply(
        _ reversal: MergeReversal, of merge: MergeRecord, from target: Account, _ undoing: MergeUndoing,
        in realm: ID<Realm>, _ transaction: Transaction
    ) async throws {
        let (source, now) = (merge.plan.source, undoing.undoneAt)
        if let other = reversal.accountLosingAddress {
            try await transaction.apply(.disavowing(other), recording: undoing.recording, at: now, in: realm)
        }
        if let remaining = reversal.target {
            try await transaction.removeSourceMembers(
                leaving: remaining, from: target, removesEmail: reversal.targetLosesEmail, at: now, in: realm)
        }
        try await transaction.reinsertSource(
            source, of: merge, returnsEmail: reversal.returnsEmail, returnsPassword: reversal.returnsPassword,
            provesEmail: true,
            returnsPhoneNumber: reversal.returnsPhoneNumber, at: now, in: realm)
        for statement: SQL in [
            .moveBackIdentities(reversal.movedBack, to: source, from: nil, at: now, in: realm),
            .insertPlaceholders(for: reversal.recreated, of: source, at: now, in: realm),
            .replacePlaceholders(by: reversal.recreated, of: source, at: now, in: realm),
        ] { _ = try await transaction.execute(statement) }
        try await transaction.finishUndoing(merge, from: target.id, recording: undoing.recording, at: now, in: realm)
        _ = try await transaction.remove(
            reversal.removedAdditions, from: merge.source, recording: undoing.recording, at: now, in: realm)
    }
}

extension Transaction {
    /// Finds the merge that a code undoes, its target, and its holders. The target is the account that the source is
    /// part of now. The holders are the target, and every account that has the source's email address, its phone number
    /// or one of its identities.
    ///
    /// - Returns: `nil` if the code does not belong to the stored merge of its source.
    fileprivate func undoableMerge(
        _ undoing: MergeUndoing, locking: Bool, in realm: ID<Realm>
    ) async throws -> (merge: MergeRecord, target: ID<Account>, holders: [Account])? {
        guard let source = undoing.code.source,
            let row = try await query(.mergeRecord(of: source, locking: locking, in: realm)).first
        else { return nil }
        let merge = try MergeRecord(row)
        guard merge.mergedAt == undoing.code.createdAt else { return nil }
        let target = ID<Account>(try row.decode("target_id"))
        let references: [AccountReference?] =
            [
                .id(target), merge.source.email.map { .email($0) },
                merge.source.phoneNumber.map { .phoneNumber($0) },
            ]
            + merge.plan.identities.map { .identity(provider: $0.provider, subject: ByteText($0.subject)) }
        let holders = try await query(.find(references.compactMap(\.self), in: realm))
            .map { try AccountRow.account($0) }
        return (merge, target, holders)
    }
}

extension SQL {
    /// Moves identities back to the source of a merge.
    ///
    /// - Parameter target: only identities of this account are moved; `nil` moves them from any account.
    static func moveBackIdentities(
        _ identities: [MergePlan.Moved], to source: ID<Account>, from target: ID<Account>?, at now: Instant,
        in realm: ID<Realm>
    ) -> SQL {
        let holder: SQL = target.map { "AND l.account_id = \($0.rawValue)" } ?? ""
        return """
            UPDATE linked_identity l SET account_id = \(source.rawValue), linked_at = \(Timestamp(now))
            FROM \(rows(identities)) WHERE l.realm_id = \(realm.rawValue) AND \(matchesRow) \(holder)
            """
    }

    /// Inserts placeholders: identities of the source in which most columns have their default values.
    /// ``replacePlaceholders(by:of:at:in:)`` then takes the columns from the merge record. If a migration has added a
    /// column to the table since the merge, the record has no value for it, and the default stays.
    fileprivate static func insertPlaceholders(
        for identities: [MergePlan.Moved], of source: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
        SELECT \(realm.rawValue), b.provider, b.subject, \(source.rawValue), \(Timestamp(now)) FROM \(rows(identities))
        """
    }

    /// Replaces placeholders by the identities in the merge record. An identity of a generic OpenID provider is
    /// restored only if its issuer is still the configured one; otherwise its placeholder is only deleted. The
    /// credential state of an Apple identity is not restored, because its tokens were revoked when it was removed.
    fileprivate static func replacePlaceholders(
        by identities: [MergePlan.Moved], of source: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH removed AS (
            DELETE FROM linked_identity l USING \(rows(identities)) WHERE l.realm_id = \(realm.rawValue) AND \(matchesRow)
            RETURNING l.provider, l.subject, to_jsonb(l) AS columns)
        INSERT INTO linked_identity
        SELECT restored.* FROM removed, account_merge m,
            LATERAL jsonb_array_elements(m.snapshot -> 'identities') stored,
            LATERAL jsonb_populate_record(NULL::linked_identity,
                removed.columns || stored || jsonb_build_object('linked_at', \(Timestamp(now))::timestamptz,
                    'credential_state', NULL, 'credential_checked_at', NULL)) restored
        WHERE m.realm_id = \(realm.rawValue) AND m.source_id = \(source.rawValue)
            AND stored ->> 'provider' = removed.provider AND stored ->> 'subject' = removed.subject
            AND (stored ->> 'provider' NOT LIKE 'oidc.%'
                OR stored ->> 'issuer' = \(issuer(of: "(stored ->> 'provider')", in: realm)))
        """
    }

    private static func rows(_ identities: [MergePlan.Moved]) -> SQL {
        "unnest(\(identities.map(\.provider.rawValue)), \(identities.map(\.subject))) AS b (provider, subject)"
    }

    private static var matchesRow: SQL { "l.provider = b.provider AND l.subject = b.subject" }
}
