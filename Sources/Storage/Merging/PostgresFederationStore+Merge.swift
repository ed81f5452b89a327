public import Identity
internal import Postgres

/// Merges that also sign a user in to the target, which is the account that remains.
extension PostgresFederationStore {
    public func hasRecoveryCode(
        _ account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors { try await pool.query(.recoveries(of: [account], at: now, in: realm)) }.isEmpty
    }

    public func hasEarlierMailbox(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool {
        let statement: SQL = """
            SELECT FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.rawValue)
                AND (\(.lastEarlierRemedy(at: now))) IS NOT NULL
            """
        return try await !withStoreErrors { try await pool.query(statement) }.isEmpty
    }

    public func merge(
        _ merge: AccountMerge, with signIn: MergeSignIn, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> OpenedSession {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                if let identity = signIn.proof.identity {
                    // Precedes all row locks.
                    try await transaction.lockSubject(of: identity, in: realm)
                    try await transaction.completeTransfer(
                        shownBy: identity, in: merge, recording: signIn.recording, in: realm)
                }
                let target = try await transaction.apply(
                    merge, with: signIn, roles: .rejected(.administrator), recording: signIn.recording,
                    announcing: notices, in: realm)
                try await transaction.require(signIn.proof, of: target.id, in: realm)
                let identity = signIn.proof.identity
                if let grant = try SQL.insertAppleGrant(
                    for: identity?.appleToken, at: merge.mergedAt, in: realm, forEachRowOf: .singleRow)
                {
                    _ = try await transaction.execute(grant)
                }
                let session = signIn.newSession.validForBackends(of: target)
                _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
                try await transaction.consumeCode(exchangedFor: session, in: realm)
                return OpenedSession(session, of: target)
            }
        }
    }
}

extension Transaction {
    /// Completes the transfer to another Apple team that the proof of a merge's target shows: the credential is of the
    /// new team, but the target's identity has not moved yet. Precedes the merge, so that the notice of the merge goes
    /// to the target's new address. Does nothing without such a transfer.
    ///
    /// - Throws: ``StoreConflict/stale`` if the identity is moved at the same time.
    fileprivate func completeTransfer(
        shownBy identity: VerifiedIdentity, in merge: AccountMerge, recording: EventRecording, in realm: ID<Realm>
    ) async throws {
        guard identity.transferSubject != nil else { return }
        let plan = merge.precondition.plan
        _ = try await execute(.lock([plan.source, plan.target], in: realm))
        guard let row = try await query(.find([.id(plan.target)], in: realm)).first else { return }
        let target = try AccountRow.account(row)
        guard let transfer = IdentityTransfer(identity, of: target) else { return }
        guard try await self.transfer(transfer, of: target, recording: recording, at: merge.mergedAt, in: realm) != nil
        else {
            throw StoreConflict.stale
        }
        _ = try await execute(.markStateUnknown(of: transfer, in: realm))
    }

    /// Requires that the proof of a merge's target still holds.
    ///
    /// - Throws: ``StoreConflict/stale`` if the proof no longer holds.
    fileprivate func require(_ proof: TargetProof, of target: ID<Account>, in realm: ID<Realm>) async throws {
        let condition: SQL =
            switch proof {
            case .session(let session, _, _, _, _): try .lockSessionIfActive(session, of: target, in: realm)
            case .identity(let identity):
                .lockIdentityIfCredentialIsValid(
                    identity.subject, of: target, provider: identity.provider, issuedAt: identity.issuedAt, in: realm)
            }
        guard try await !query(condition).isEmpty else { throw StoreConflict.stale }
    }
}
