internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AccountStore`` on PostgreSQL. Frequent calls are one statement each. The database enforces uniqueness.
public struct PostgresAccountStore: AccountStore {
    /// Limits orders without an index, which sort all accounts of the realm.
    public static let sortDeadline: Duration = .seconds(3)

    let pool: Pool
    let sortDeadline: Duration

    public init(pool: Pool, sortDeadline: Duration = Self.sortDeadline) {
        self.pool = pool
        self.sortDeadline = sortDeadline
    }

    public func create(
        _ account: NewAccount, opening session: Session, in realm: ID<Realm>
    ) async throws -> Account {
        let created = Account(account)
        let statement = SQL.create(
            created, passwordHash: account.passwordHash, opening: try SessionRow(session), in: realm)
        _ = try await withStoreErrors { try await pool.execute(statement) }
        return created
    }

    public func holder(of email: EmailAddress, in realm: ID<Realm>) async throws -> EmailHolder? {
        try await withStoreErrors { try await pool.read(.holder(of: email, in: realm)) }.first.map { row in
            EmailHolder(account: try AccountRow.account(row), passwordHash: try row.decode("password_hash"))
        }
    }

    public func account(knownBy email: EmailAddress, in realm: ID<Realm>) async throws -> Account? {
        try await withStoreErrors { try await pool.read(.account(knownBy: email, in: realm)) }.first
            .map { try AccountRow.account($0) }
    }

    public func hadSession(
        _ email: EmailAddress, from networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors {
            try await pool.read(.hadSession(email, from: networkHashes, since: since, in: realm))
        }
        .isEmpty
    }

    public func open(_ session: Session, rehashed: String?, in realm: ID<Realm>) async throws {
        let statement = SQL.open(try SessionRow(session), rehashed: rehashed, in: realm)
        guard try await withStoreErrors({ try await pool.execute(statement) }) == 1 else { throw StoreConflict.stale }
    }

    public func find(_ claim: IDTokenClaim, in realm: ID<Realm>) async throws -> FoundSession? {
        let statement = SQL.find(try UUID(claim.session), of: claim.account, in: realm)
        return try await withStoreErrors { try await pool.read(statement) }.first.map { row in
            FoundSession(
                account: try AccountRow.accountWithLastRefresh(row),
                session: try row.decode("session_id", as: UUID?.self) == nil ? nil : try SessionRow.session(row))
        }
    }

    public func rotate(
        _ claim: RefreshClaim, by policy: Policy, at now: Instant, in realm: ID<Realm>
    ) async throws -> Rotation {
        let id = try UUID(claim.session)
        let statement = SQL.rotate(
            id, counter: claim.counter, rotates: policy.rotatesRefreshTokens,
            graceBegan: Timestamp(now - policy.refreshTokenGracePeriod), now: Timestamp(now), in: realm)
        guard let row = try await withStoreErrors({ try await pool.query(statement) }).first else {
            return try await whyNotRotated(id, in: realm)
        }
        guard try !row.decode("is_stolen", as: Bool.self) else { return .stolen }
        return .goesOn(
            try SessionRow.session(row), try AccountRow.account(row), counter: try row.decode("counter"))
    }

    public func delete(
        by session: Session, of actor: AuditActor, at now: Instant, emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws {
        let statement = SQL.delete(by: try SessionRow(session), of: actor, at: now, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(statement) == 1 else { throw StoreConflict.stale }
                try await transaction.enqueue(emailBatch, in: realm)
            }
        }
    }

    private func whyNotRotated(_ session: UUID, in realm: ID<Realm>) async throws -> Rotation {
        guard let row = try await withStoreErrors({ try await pool.query(.state(of: session, in: realm)) }).first else {
            return .removed
        }
        return try row.decode("is_disabled") ? .accountDisabled : .ended
    }
}
