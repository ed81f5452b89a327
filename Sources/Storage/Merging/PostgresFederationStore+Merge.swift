public import Identity
internal import Postgres

/// Merges that also sign a user in to the target, which is the account that remains.
extension PostgresFederationStore {
    public func hasRecoveryCode(
        _ account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors { try await pool.query(.recoveries(of: [account], at: now, in: realm)) }.isEmpty
    }

    public func merge(
        _ merge: AccountMerge, with signIn: MergeSignIn, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                // Precedes all row locks.
                if let identity = signIn.proof.identity {
                    try await transaction.lockSubject(of: identity, in: realm)
                }
                let merged = try await transaction.apply(
                    merge, signsIn: true, by: .user(signIn.trace), announcing: notices, in: realm)
                let target = try await transaction.check(
                    signIn.proof, of: merged, by: .user(signIn.trace), at: merge.mergedAt, in: realm)
                let identity = signIn.proof.identity
                if let grant = try SQL.insertAppleGrant(
                    for: identity?.appleToken, at: merge.mergedAt, in: realm, forEachRowOf: .singleRow)
                {
                    _ = try await transaction.execute(grant)
                }
                // Admin SDKs reject ID tokens whose `auth_time` is before `validSince`.
                let authenticatedAt = max(
                    signIn.proof.authenticatedAt(mergingAt: merge.mergedAt), target.validSince)
                let session = Session(
                    id: signIn.session, account: target.id, generation: target.generation,
                    method: signIn.proof.method, authenticatedAt: authenticatedAt, device: signIn.device,
                    networkHash: signIn.networkHash, credentialIssuedAt: identity?.issuedAt)
                _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
                return (target, session)
            }
        }
    }
}

extension Transaction {
    /// Requires that the proof of a merge's target still holds. If the identity has not moved to another Apple team
    /// yet, but the credential is of the new team, completes this transfer, as a sign-in with the credential would.
    ///
    /// - Returns: the target, after the transfer if there was one.
    /// - Throws: ``StoreConflict/stale`` if the proof no longer holds.
    fileprivate func check(
        _ proof: TargetProof, of target: Account, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Account {
        switch proof {
        case .session(let session, _, _):
            let active = try await query(try .lockSessionIfActive(session, of: target.id, in: realm))
            guard !active.isEmpty else { throw StoreConflict.stale }
            return target
        case .identity(let identity):
            var target = target
            if let transfer = IdentityTransfer(identity, of: target) {
                guard
                    let transferred = try await self.transfer(transfer, of: target, by: actor, at: now, in: realm)
                else { throw StoreConflict.stale }
                target = transferred
            }
            let valid = try await query(
                .lockIdentityIfCredentialIsValid(
                    identity.subject, of: target.id, provider: identity.provider, issuedAt: identity.issuedAt,
                    in: realm))
            guard !valid.isEmpty else { throw StoreConflict.stale }
            return target
        }
    }
}
