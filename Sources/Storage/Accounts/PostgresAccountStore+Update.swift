internal import FoundationEssentials
public import Identity
internal import Postgres

extension PostgresAccountStore {
    public func update(_ change: OwnerChange, by session: Session, in realm: ID<Realm>) async throws -> Account {
        try await withStoreErrors {
            try await pool.transaction { try await apply(change, by: session, in: realm, $0) }
        }
    }

    /// Applies `change` for the owner of `session`. The first statement locks the account's row, so that transactions
    /// change its identities one after the other. A change that removes passkeys, and so may suspend an owner of the
    /// console, locks these owners before.
    private func apply(
        _ change: OwnerChange, by session: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        let owners: Owners? =
            if change.removedPasskeys.isEmpty { nil } else { try await transaction.lockOwners(in: realm) }
        let isActive = try SQL.isActive(session)
        // A disabled account can be changed, but no session of it can be opened.
        let opensSession = change.replacementSession != nil || change.renewedSession != nil
        let isOpenable: SQL = opensSession ? "a.disabled_at IS NULL" : "true"
        let update = SQL.update(
            session.account, by: change.update, at: change.changedAt, in: realm, where: "\(isActive) AND \(isOpenable)")
        guard let row = try await transaction.query("\(update) RETURNING \(AccountRow.columns)").first else {
            throw StoreConflict.stale
        }
        var account = try AccountRow.account(row)
        try await transaction.enqueue(change.emailBatch, in: realm)
        try await transaction.record(change.events, by: change.recording, at: change.changedAt, in: realm)
        if !change.removedPasskeys.isEmpty {
            let isSuspended = try await transaction.removePasskeys(
                of: account.id, .these(change.removedPasskeys), exceptSession: session.id,
                recording: change.recording, at: change.changedAt, in: realm)
            if isSuspended {
                guard !change.keepsRoles else { throw AdministratorRefusal.lastFactor }
                try owners?.requireRemaining(without: [account.id])
            }
        }
        if change.update.phoneNumber != nil {
            _ = try await transaction.execute(
                .endPhoneSessions(of: account.id, except: try UUID(session.id), at: change.changedAt, in: realm))
        }
        if !change.unlinked.isEmpty || !change.removedPasskeys.isEmpty || change.protectedMethods != nil {
            account = try await unlinkIdentities(account, by: change, session, in: realm, transaction)
        }
        if let protected = change.protectedMethods, protected.count(of: account) == 0 {
            throw StoreConflict.lastSignInMethod
        }
        if let renewed = change.renewedSession {
            let ending = try SQL.endReplacedSession(session.id, at: change.changedAt, in: realm)
            guard try await transaction.execute(ending) == 1 else { throw StoreConflict.stale }
            _ = try await transaction.execute(.openSession(renewed, in: realm, forEachRowOf: .singleRow))
        }
        guard let replacement = change.replacementSession else { return account }
        _ = try await transaction.execute(.deleteCodes(exceptRemediesOf: account.id, in: realm))
        _ = try await transaction.execute(.openSession(replacement, in: realm, forEachRowOf: .singleRow))
        _ = try await transaction.execute(.deleteSessions(of: account.id, before: session.generation, in: realm))
        return account
    }

    /// Unlinks the identities that `change` names, if there are any.
    ///
    /// - Returns: the account as it is stored after the change.
    private func unlinkIdentities(
        _ account: Account, by change: OwnerChange, _ session: Session, in realm: ID<Realm>,
        _ transaction: Transaction
    ) async throws -> Account {
        // Reads the account again, because the locking statement returned the identities from before the lock.
        guard let row = try await transaction.query(.find([.id(account.id)], in: realm)).first else { return account }
        let account = try AccountRow.account(row)
        var updated = account
        (updated.email, updated.emailIsVerified) = account.primaryEmail(without: change.unlinked)
        updated.identities.removeAll { change.unlinked.contains($0.provider) }
        let unlinked = try await transaction.unlink(
            change.unlinked, from: account.id, except: session.id, at: change.changedAt, in: realm)
        try await transaction.record(
            AccountEvent.unlinking(unlinked, from: account.id), by: change.recording, at: change.changedAt, in: realm)
        return try await transaction.storePrimaryEmail(
            of: updated, ifChangedFrom: account, at: change.changedAt, in: realm)
    }
}
