internal import FoundationEssentials
public import Identity
public import Postgres

/// ``FederationStore`` on PostgreSQL. `UNIQUE` constraints settle races; the losing transaction is decided again.
public struct PostgresFederationStore: FederationStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func linkingCandidates(
        for identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?) {
        let rows = try await withStoreErrors { try await pool.read(.linkingCandidates(for: identity, in: realm)) }
        let accounts = try rows.map { (try AccountRow.account($0), isOwner: try $0.decode("is_owner", as: Bool.self)) }
        return (
            accounts.first { $0.isOwner }?.0,
            accounts.first { identity.email != nil && $0.0.email == identity.email }?.0
        )
    }

    public func commit(
        _ commit: SignInCommit, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        do {
            return try await withStoreErrors {
                switch commit.step {
                case .signIn(let account): try await signIn(account, commit, in: realm)
                case .link(let account, let caller, let takesEmail):
                    try await link(to: account, by: caller, takesEmail: takesEmail, commit, in: realm)
                case .reclaim(let account): try await reclaim(account, commit, in: realm)
                case .create(let id, let takesEmail):
                    try await create(id, takesEmail: takesEmail, commit, in: realm)
                }
            }
        } catch StoreConflict.taken {
            throw StoreConflict.stale
        }
    }

    private func signIn(
        _ account: Account, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        guard let before = account.identities.first(where: entry.identity.isSame) else { throw StoreConflict.stale }
        let after = LinkedIdentity(entry.identity, before: before)
        let session = entry.opened(in: account.id, generation: account.generation)
        let opened =
            try await pool.execute(
                .signIn(account, with: after, changed: after != before, entry, try SessionRow(session), in: realm))
        guard opened == 1 else { throw StoreConflict.stale }
        return (account.signedIn(with: after, at: entry.enteredAt), session)
    }

    private func create(
        _ id: ID<Account>, takesEmail: Bool, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        let identity = entry.linked
        let account = Account(id, for: identity, takesEmail: takesEmail, at: entry.enteredAt)
        let session = entry.opened(in: id, generation: account.generation)
        let statement = SQL.create(account, with: identity, entry, try SessionRow(session), in: realm)
        guard try await pool.execute(statement) == 1 else { throw StoreConflict.stale }
        return (account, session)
    }

    /// Locks the account's row first, so that transactions change its identities one after the other.
    private func link(
        to account: Account, by caller: Caller?, takesEmail: Bool, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        let session = entry.opened(in: account.id, generation: account.generation)
        let isAlive: SQL = try caller.map { SQL.isAlive(try SessionRow($0.session)) } ?? "true"
        let locking = SQL.lock(account, toLink: entry, takesEmail: takesEmail, where: isAlive, in: realm)
        return try await pool.transaction { transaction in
            guard try await transaction.execute(locking) == 1,
                try await transaction.execute(
                    .link(entry.linked, onceTo: account, entry, in: realm))
                    == 1
            else { throw StoreConflict.stale }
            try await transaction.audit(
                [AuditNote(.identityLinked, account.id, entry.identity.provider)], by: .user(entry.trace),
                at: entry.enteredAt, in: realm)
            try await finish(
                session, entry, OutboxEvent(.identityLinked, of: account.id, provider: entry.identity.provider),
                in: realm, transaction)
            return try await read(session, in: realm, transaction)
        }
    }

    private func reclaim(
        _ account: Account, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        let session = entry.opened(in: account.id, generation: account.generation + 1)
        return try await pool.transaction { transaction in
            guard try await transaction.execute(.reclaim(account, for: entry, in: realm)) == 1 else {
                throw StoreConflict.stale
            }
            _ = try await transaction.execute(.unlinkAll(from: account.id, in: realm))
            _ = try await transaction.execute(
                .link(entry.linked, to: account.id, at: entry.enteredAt, in: realm))
            _ = try await transaction.execute(.voidEveryCode(of: account.id, in: realm))
            _ = try await transaction.execute(
                .forgetSessions(of: account.id, before: account.generation, in: realm))
            let event = OutboxEvent(.accountReclaimed, of: account.id, provider: entry.identity.provider)
            try await transaction.audit(
                [AuditNote(.reclaimed, account.id, entry.identity.provider)], by: .user(entry.trace),
                at: entry.enteredAt, in: realm)
            try await finish(session, entry, event, in: realm, transaction)
            return try await read(session, in: realm, transaction)
        }
    }

    private func finish(
        _ session: Session, _ entry: SignInCommit, _ event: OutboxEvent, in realm: ID<Realm>,
        _ transaction: Transaction
    ) async throws {
        if !entry.marks.isEmpty {
            _ = try await transaction.execute(.use(entry.marks, in: realm, from: "(VALUES (1)) v"))
        }
        let row = try SessionRow(session, openedAt: entry.enteredAt)
        _ = try await transaction.execute(.opening(row, in: realm, from: "(VALUES (1)) v"))
        _ = try await transaction.execute(.tell(event, at: entry.enteredAt, in: realm))
        try await transaction.enqueue(entry.emailBatch, in: realm)
    }

    private func read(
        _ session: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> (account: Account, session: Session) {
        guard let row = try await transaction.query(.find([.id(session.account)], in: realm)).first else {
            throw StoreConflict.stale
        }
        return (try AccountRow.account(row), session)
    }
}

extension VerifiedIdentity {
    func isSame(as linked: LinkedIdentity) -> Bool { linked.provider == provider && linked.subject == subject }
}

extension SignInCommit {
    /// The identity as it is linked to an account.
    var linked: LinkedIdentity {
        var linked = LinkedIdentity(identity)
        linked.linkedAt = enteredAt
        linked.linkedDevice = device
        return linked
    }

    func opened(in account: ID<Account>, generation: Int64) -> Session {
        Session(
            id: session, account: account, generation: generation, method: identity.provider,
            authenticatedAt: authenticatedAt, device: device, networkHash: networkHash)
    }
}
