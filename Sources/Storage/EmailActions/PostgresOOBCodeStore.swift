public import Identity
public import Postgres

/// ``OOBCodeStore`` on PostgreSQL: stores and redeems email action codes.
public struct PostgresOOBCodeStore: OOBCodeStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func issue(
        _ code: OOBCode, sending outgoing: OutgoingEmail?, bySession session: Session?,
        forAdministrator administrator: (AuditNote, AuditActor)?, in realm: ID<Realm>
    ) async throws {
        let issuing = try SQL.issue(code, by: session, in: realm)
        var statement: SQL = "WITH inserted AS (\(issuing) RETURNING 1)"
        if let outgoing {
            let enqueuing = try SQL.enqueue(outgoing, in: realm, forEachRowOf: "inserted")
            statement = "\(statement), queued_email AS (\(enqueuing))"
        }
        if let (note, actor) = administrator {
            let audit = try SQL.audit([note], by: actor, at: code.createdAt, in: realm, forEachRowOf: "inserted")
            statement = "\(statement), audited AS (\(audit))"
        }
        statement = "\(statement) SELECT 1 AS one FROM inserted"
        let issued = statement
        guard try await !withStoreErrors({ try await pool.query(issued) }).isEmpty else { throw StoreConflict.stale }
    }

    public func enqueue(_ outgoing: OutgoingEmail, in realm: ID<Realm>) async throws {
        let statement = try SQL.enqueue(outgoing, in: realm, forEachRowOf: .singleRow)
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    public func find(_ hash: [UInt8], at now: Instant, in realm: ID<Realm>?) async throws -> FoundCode? {
        try await withStoreErrors { try await pool.query(.findCode(hash, at: now, in: realm)) }.first.map { row in
            FoundCode(
                code: try OOBCodeRow.code(row), realm: ID(try row.decode("code_realm_id")),
                account: try row.decode("has_account") ? try AccountRow.account(row) : nil,
                earlierMailbox: try row.decode("earlier_remedies_expire_at", as: Timestamp?.self)
                    .map { EarlierMailbox(canRecoverUntil: Instant($0)) })
        }
    }

    public func redeem(_ redemption: Redemption, in realm: ID<Realm>) async throws -> Account {
        do {
            return try await withStoreErrors {
                try await pool.transaction { try await apply(redemption, in: realm, $0) }
            }
        } catch StoreConflict.taken(.id) {
            throw StoreConflict.stale
        } catch StoreConflict.taken(.email) {
            throw try await emailConflict(of: redemption, in: realm)
        }
    }

    /// Returns the conflict of a redemption that failed because another account has the email address.
    ///
    /// For a sign-in that creates an account, and for the removal of a sign-in method, returns ``StoreConflict/stale``:
    /// the caller then decides again, with the account that has the address now. A recovery code stays valid, because
    /// the other account may release the address later. Any other code is consumed.
    private func emailConflict(of redemption: Redemption, in realm: ID<Realm>) async throws -> StoreConflict {
        if [.signIn, .removeSignInMethod, .revertFactorAddition].contains(redemption.code.purpose),
            redemption.callerSession == nil
        {
            return .stale
        }
        if redemption.code.purpose == .recoverEmail { return .taken(.email) }
        let statement = SQL.redeem(redemption.code, at: redemption.redeemedAt, in: realm)
        return try await withStoreErrors { try await pool.execute(statement) } == 1 ? .taken(.email) : .alreadyUsed
    }

    private func apply(
        _ redemption: Redemption, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        let code = redemption.code
        guard try await transaction.execute(.redeem(code, at: redemption.redeemedAt, in: realm)) == 1 else {
            throw StoreConflict.alreadyUsed
        }
        let account: ID<Account>
        switch redemption.step {
        case .create(let new, let former):
            account = new.account.id
            if let former {
                try await transaction.apply(
                    .disavowing(former), recording: redemption.recording, at: redemption.redeemedAt, in: realm)
            }
            let statement: SQL =
                if let session = redemption.session {
                    try .create(new, opening: session, in: realm)
                } else {
                    .insertion(of: new, in: realm)
                }
            _ = try await transaction.execute(statement)
            if let session = redemption.session {
                try await transaction.recordOpening(of: session, isNewAccount: true, in: realm)
            }
        case .change(let change):
            account = change.account.id
            if let session = redemption.session { try await transaction.beginOpening(of: session, in: realm) }
            if let other = change.accountLosingAddress {
                _ = try await transaction.execute(.lock([account, other.id], in: realm))
                try await transaction.apply(
                    .disavowing(other), recording: redemption.recording, at: redemption.redeemedAt, in: realm)
            }
            try await transaction.apply(
                change, bySession: redemption.callerSession, signsIn: redemption.session != nil,
                recording: redemption.recording, at: redemption.redeemedAt, in: realm)
            if let session = redemption.session {
                _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
                try await transaction.recordOpening(of: session, in: realm)
            }
        }
        if let networkHash = redemption.networkHash {
            _ = try await transaction.execute(
                .storeKnownNetwork(
                    networkHash, of: account, at: redemption.redeemedAt, in: realm, forEachRowOf: .singleRow))
        }
        try await transaction.enqueue(redemption.emailBatch, in: realm)
        guard let row = try await transaction.query(.find([.id(account)], in: realm)).first else {
            throw StoreConflict.stale
        }
        let current = try AccountRow.account(row)
        guard redemption.knows(current) else { throw StoreConflict.stale }
        return current
    }

}

extension Transaction {
    /// Applies the change after a proof of a mailbox, if the account has not changed since the decision.
    ///
    /// - Parameters:
    ///   - session: the session of a caller who adds the mailbox to their own account. It must be active.
    ///   - signsIn: whether the user is signed in to the account.
    func apply(
        _ change: MailboxChange, bySession session: Session? = nil, signsIn: Bool = false, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        let account = change.account
        var update = change.update
        if signsIn { update.lastSignInAt = now }
        let isActive: SQL = try session.map { try SQL.isActive($0) } ?? "true"
        let statement = SQL.update(
            account.id, by: update, at: now, in: realm,
            where: "\(SQL.isUnchangedSinceDecision(account)) AND \(isActive)")
        guard try await execute(statement) == 1 else { throw StoreConflict.stale }
        if change.update.endsSessions {
            _ = try await execute(.deleteSessions(of: account.id, before: account.generation, in: realm))
            _ = try await execute(.deleteCodes(exceptRemediesOf: account.id, in: realm))
        }
        if let remedies = change.voidedRemedies {
            _ = try await execute(.voidRemedies(remedies, of: account.id, in: realm))
        }
        var unlinked: [ProviderID] = []
        // Also if the account had none when the change was decided, because it may have got some since.
        if let additions = change.removedAdditions {
            unlinked = try await remove(additions, from: account, recording: recording, at: now, in: realm)
        }
        if !change.unlinkedProviders.isEmpty {
            unlinked += try await query(.unlink(change.unlinkedProviders, from: account.id, in: realm))
                .map { ProviderID(try $0.decode("provider")) }
        }
        if !change.removedPasskeys.isEmpty {
            try await removePasskeys(
                of: account.id, .these(change.removedPasskeys), recording: recording, at: now, in: realm)
        }
        try await record(change.events(unlinking: unlinked), by: recording, at: now, in: realm)
    }
}

extension Redemption {
    /// Whether the redemption was decided with knowledge of all identities and passkeys that the account has now.
    /// Always true if the decision does not depend on them. A reset notifies the owner of every remaining identity, so
    /// an identity that was linked after the decision requires a new decision. The same applies if the user selected
    /// identities.
    fileprivate func knows(_ account: Account) -> Bool {
        guard case .change(let change) = step, code.purpose == .resetPassword || change.removesSelection else {
            return true
        }
        let knowsPasskeys = account.passkeys.allSatisfy { change.account.passkey($0.id) != nil }
        return knowsPasskeys
            && account.identities.allSatisfy { identity in
                let known = change.account.identity(identity.provider, subject: identity.subject)
                return known != nil && known?.linkedAt == identity.linkedAt
            }
    }
}
