internal import Encoding
internal import FoundationEssentials
public import Identity
public import Postgres

/// ``FactorStore`` on PostgreSQL.
public struct PostgresFactorStore: FactorStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func totp(
        _ factor: ID<Factor>, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> StoredTOTP? {
        let statement = SQL.totp(factor, of: account, ahead: now.distanceFromMachineClock, in: realm)
        return try await withStoreErrors { try await pool.query(statement) }.first.map { row in
            StoredTOTP(
                sealedSecret: try row.decode("secret"), failures: try row.decode("failures"),
                readAt: Instant(try row.decode("read_at")))
        }
    }

    public func time(at now: Instant) async throws -> Instant {
        let statement: SQL = "SELECT \(SQL.now(ahead: now.distanceFromMachineClock)) AS now"
        let rows = try await withStoreErrors { try await pool.query(statement) }
        return try rows.first.map { Instant(try $0.decode("now")) } ?? now
    }

    public func recordFailure(
        of factor: ID<Factor>, of account: ID<Account>, in realm: ID<Realm>,
        announcing notice: @escaping @Sendable (_ failures: Int) throws -> EmailBatch
    ) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let statement = SQL.countFailure(of: factor, of: account, in: realm)
                guard let row = try await transaction.query(statement).first else { return }
                try await transaction.enqueue(try notice(try row.decode("failures")), in: realm)
            }
        }
    }

    public func hasKnownNetwork(
        _ account: ID<Account>, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        let statement = SQL.hasKnownNetwork(account, among: networkHashes, since: since, in: realm)
        return try await !withStoreErrors { try await pool.query(statement) }.isEmpty
    }

    public func apply(_ change: FactorChange, by caller: Session, in realm: ID<Realm>) async throws -> Account {
        try await withStoreErrors {
            try await pool.transaction { try await apply(change, by: caller, in: realm, $0) }
        }
    }

    private func apply(
        _ change: FactorChange, by caller: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        let id = caller.account
        let owners: Owners? =
            if case .withdraw = change.step { try await transaction.lockOwners(in: realm) } else { nil }
        // Locks the account, so that transactions change its factors one after the other.
        let locking: SQL = """
            SELECT 1 AS one FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(try SQL.isActive(caller))
                AND a.disabled_at IS NULL FOR UPDATE OF a
            """
        guard try await !transaction.query(locking).isEmpty else { throw StoreConflict.stale }
        try await store(change, by: caller, in: realm, transaction)
        if try await transaction.countFactors(of: id, by: change.recording.actor, at: change.changedAt, in: realm) {
            try owners?.requireRemaining(without: [id])
        }
        if let session = change.session {
            let ending = try SQL.endReplacedSession(caller.id, at: change.changedAt, in: realm)
            guard try await transaction.execute(ending) == 1 else { throw StoreConflict.stale }
            _ = try await transaction.execute(.openSession(session, in: realm, forEachRowOf: .singleRow))
        }
        try await transaction.record([change.event(of: id)], by: change.recording, at: change.changedAt, in: realm)
        try await transaction.enqueue(change.emailBatch, in: realm)
        guard let row = try await transaction.query(.find([.id(id)], in: realm)).first else {
            throw StoreConflict.stale
        }
        let account = try AccountRow.account(row)
        guard account.secondFactors.factors.count <= SecondFactors.limit else { throw FactorRefusal.limitExceeded }
        return account
    }

    private func store(
        _ change: FactorChange, by caller: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws {
        let account = caller.account
        switch change.step {
        case .enroll(let totp, let enrolment):
            try await transaction.requireProvenFactor(toAddBy: caller, in: realm)
            guard try await transaction.execute(.consume(ifUnused: enrolment, in: realm)) == 1 else {
                throw FactorRefusal.invalidSessionInfo
            }
            guard try await transaction.execute(.insert(totp, of: account, in: realm)) == 1 else {
                throw FactorRefusal.exists
            }
        case .enrollPhone(let factor, let proof):
            try await transaction.requireProvenFactor(toAddBy: caller, in: realm)
            guard try await transaction.execute(.insert(factor, of: account, in: realm)) == 1 else {
                throw FactorRefusal.numberExists
            }
            do {
                try await transaction.consume(proof.consumed, at: change.changedAt, in: realm)
            } catch StoreConflict.alreadyUsed {
                throw FactorRefusal.invalidSessionInfo
            }
        case .withdraw(let factor):
            guard try await transaction.execute(.withdraw(factor.id, of: account, in: realm)) == 1 else {
                throw FactorRefusal.factorUnknown
            }
            // Nothing was created after the latest time: only the codes of an account without factors are deleted.
            _ = try await transaction.execute(.removeRecoveryCodes(of: account, createdSince: .latest, in: realm))
        case .replaceRecoveryCodes(let hashes):
            _ = try await transaction.execute(.removeRecoveryCodes(of: account, createdSince: nil, in: realm))
            _ = try await transaction.execute(
                .insertRecoveryCodes(hashes, of: account, at: change.changedAt, in: realm))
        }
    }
}

extension SQL {
    /// Ends the caller's session, which a new session replaces.
    static func endReplacedSession(_ session: ID<Session>, at now: Instant, in realm: ID<Realm>) throws
        -> SQL
    {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.replaced.rawValue)
        WHERE realm_id = \(realm.rawValue) AND id = \(try UUID(session)) AND ended_at IS NULL
        """
    }

    /// Selects whether an account has a known network after `since`.
    ///
    /// - Returns: a row if one of the networks with `networkHashes` is known.
    fileprivate static func hasKnownNetwork(
        _ account: ID<Account>, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT 1 AS one FROM known_network WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND network_hash = ANY (
                SELECT decode(h, 'hex') FROM unnest(\(networkHashes.map { Hexadecimal.encode($0) })) h)
            AND last_seen_at > \(Timestamp(since))
        LIMIT 1
        """
    }
}
