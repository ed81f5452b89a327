internal import FoundationEssentials
public import Identity
public import Postgres

/// ``PhoneStore`` on PostgreSQL.
public struct PostgresPhoneStore: PhoneStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func commit(_ commit: PhoneCommit, in realm: ID<Realm>) async throws -> Account {
        do {
            return try await withStoreErrors { try await pool.transaction { try await apply(commit, in: realm, $0) } }
        } catch StoreConflict.taken {
            // Another account has got the number or the ID since the decision.
            throw StoreConflict.stale
        }
    }

    private func apply(
        _ commit: PhoneCommit, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        let (session, now) = (commit.session, commit.session.openedAt)
        var update = AccountUpdate()
        (update.phoneProvenAt, update.lastSignInAt) = (.set(now), now)
        switch commit.step {
        case .signIn(let account):
            try await transaction.beginOpening(of: session, in: realm)
            let updating = SQL.update(
                account.id, by: update, at: now, in: realm, where: .hasNumber(commit.proof.number, asIn: account))
            guard try await transaction.execute(updating) == 1 else { throw StoreConflict.stale }
            _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
        case .signUp(let new, let former):
            if let former { try await takeNumber(commit.proof.number, from: former, at: now, in: realm, transaction) }
            _ = try await transaction.execute(.create(new, opening: session, in: realm))
        case .link(let caller):
            try await transaction.beginOpening(of: session, in: realm)
            update.phoneNumber = .set(commit.proof.number)
            update.endsSessions = session.session.generation > caller.account.generation
            let keepsNumber = caller.account.phoneNumber == commit.proof.number
            update.phoneAddedAt = keepsNumber ? AccountUpdate.Value(caller.account.phoneAddedAt) : .set(now)
            let updating = SQL.update(
                caller.account.id, by: update, at: now, in: realm,
                where: """
                    \(try SQL.isActive(caller.session)) AND a.disabled_at IS NULL AND a.factor_count = 0
                    AND a.phone_number IS NOT DISTINCT FROM \(caller.account.phoneNumber?.rawValue)
                    """)
            guard try await transaction.execute(updating) == 1 else { throw StoreConflict.stale }
            if !keepsNumber, caller.account.phoneNumber != nil {
                _ = try await transaction.execute(.endPhoneSessions(of: caller.account.id, at: now, in: realm))
            }
            _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
        }
        // Last, so that a conflict with another change does not look like a used proof.
        try await transaction.consume(commit.proof.consumed, at: now, in: realm)
        let isNewAccount = if case .signUp = commit.step { true } else { false }
        try await transaction.recordOpening(of: session, isNewAccount: isNewAccount, in: realm)
        try await transaction.record(commit.events, by: commit.recording, at: now, in: realm)
        try await transaction.enqueue(commit.emailBatch, in: realm)
        guard let row = try await transaction.query(.find([.id(session.account)], in: realm)).first else {
            throw StoreConflict.stale
        }
        return try AccountRow.account(row)
    }

    /// Removes the number from the account that had it, if the owner has not proven it since the decision. Ends the
    /// sessions that were opened by the number.
    private func takeNumber(
        _ number: PhoneNumber, from former: Account, at now: Instant, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws {
        var update = AccountUpdate()
        update.phoneNumber = .remove
        let removing = SQL.update(
            former.id, by: update, at: now, in: realm, where: .hasNumber(number, asIn: former))
        guard try await transaction.execute(removing) == 1 else { throw StoreConflict.stale }
        _ = try await transaction.execute(.endPhoneSessions(of: former.id, at: now, in: realm))
    }
}

extension SQL {
    /// Whether the account has the number as it was when the sign-in was decided.
    fileprivate static func hasNumber(_ number: PhoneNumber, asIn account: Account) -> SQL {
        """
        a.phone_number = \(number.rawValue) AND a.generation = \(account.generation)
        AND (a.disabled_at IS NOT NULL) = \(account.isDisabled)
        AND (a.factor_count > 0) = \(!account.secondFactors.isEmpty)
        AND a.phone_proven_at IS NOT DISTINCT FROM \(account.phoneProvenAt.map { Timestamp($0) })
        """
    }

    /// Ends the sessions that were opened with the telephone number that the account has lost.
    ///
    /// - Parameter excluded: a session that is not ended, usually that of the caller.
    static func endPhoneSessions(
        of account: ID<Account>, except excluded: UUID? = nil, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.signInMethodRemoved.rawValue)
        WHERE account_id = \(account.rawValue) AND realm_id = \(realm.rawValue) AND ended_at IS NULL
            AND method = \(ProviderID.phone.rawValue) AND id IS DISTINCT FROM \(excluded)
        """
    }
}
