internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AccountStore`` on PostgreSQL. Frequent calls are one statement each. Unique indexes of the database detect
/// conflicts between accounts.
public struct PostgresAccountStore: AccountStore {
    /// The default time limit for a list whose order has no index. PostgreSQL sorts all accounts of the realm for such
    /// a list.
    public static let sortTimeout: Duration = .seconds(3)

    let pool: Pool
    let sortTimeout: Duration
    let rotations: Batcher<PresentedRefreshToken, UUID, RotationAttempt>
    private let signUps: Batcher<AnonymousSignUp, ID<Session>, Void>
    let sessionLookups: Batcher<SessionLookup, Never, FoundSession?>

    public init(pool: Pool, sortTimeout: Duration = Self.sortTimeout) {
        self.pool = pool
        self.sortTimeout = sortTimeout
        rotations = Batcher(on: pool, Self.rotations)
        signUps = Batcher(on: pool, Self.signUps)
        sessionLookups = Batcher(on: pool, Self.sessionLookups)
    }

    public func create(_ account: StoredAccount, opening session: NewSession, in realm: ID<Realm>) async throws {
        if session.hasEffects {
            let statement = try SQL.create(account, opening: session, in: realm)
            return try await withStoreErrors {
                try await pool.transaction { transaction in
                    _ = try await transaction.execute(statement)
                    try await transaction.recordOpening(of: session, isNewAccount: true, in: realm)
                }
            }
        }
        if account.hasOnlyTimes, session.isBatchable {
            let signUp = AnonymousSignUp(account: account.account, session: session)
            return try await withStoreErrors { try await signUps.run(signUp, in: realm) }
        }
        let statement = try SQL.create(account, opening: session, in: realm)
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    public func holder(of email: EmailAddress, in realm: ID<Realm>) async throws -> StoredAccount? {
        try await withStoreErrors { try await pool.read(.account(withPrimaryEmail: email, in: realm)) }.first
            .map { try AccountRow.storedAccount($0) }
    }

    public func account(knownBy email: EmailAddress, in realm: ID<Realm>) async throws -> Account? {
        try await withStoreErrors { try await pool.read(.account(knownBy: email, in: realm)) }.first
            .map { try AccountRow.account($0) }
    }

    public func hasKnownNetwork(
        _ email: EmailAddress, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors {
            try await pool.read(.hasKnownNetwork(email, among: networkHashes, since: since, in: realm))
        }
        .isEmpty
    }

    public func open(_ session: NewSession, rehashed: String?, in realm: ID<Realm>) async throws {
        let statement = try SQL.open(session, rehashed: rehashed, in: realm)
        let opened = try await withStoreErrors {
            guard session.secondFactorUse != nil || session.hasEffects else {
                return try await pool.execute(statement)
            }
            return try await pool.transaction { transaction in
                try await transaction.beginOpening(of: session, in: realm)
                let opened = try await transaction.execute(statement)
                guard opened == 1 else { throw StoreConflict.stale }
                try await transaction.recordOpening(of: session, in: realm)
                return opened
            }
        }
        guard opened == 1 else { throw StoreConflict.stale }
    }

    public func deleteAccount(
        of session: Session, by deletion: AccountDeletion, emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws {
        let statement = try SQL.deleteAccount(of: session, by: deletion, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                try await transaction.requireRemainingOwner(without: [session.account], in: realm)
                guard try await transaction.execute(statement) == 1 else { throw StoreConflict.stale }
                try await transaction.enqueue(emailBatch, in: realm)
            }
        }
    }
}
