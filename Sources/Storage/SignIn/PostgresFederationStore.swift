internal import FoundationEssentials
public import Identity
public import Postgres

/// ``FederationStore`` on PostgreSQL. `UNIQUE` constraints settle races; whoever loses decides again.
public struct PostgresFederationStore: FederationStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func acquaintances(
        of identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?) {
        let rows = try await reaching { try await pool.read(.acquaintances(of: identity, in: realm)) }
        let accounts = try rows.map { (try AccountRow.account($0), isOwner: try $0.decode("is_owner", as: Bool.self)) }
        return (
            accounts.first { $0.isOwner }?.0,
            accounts.first { identity.email != nil && $0.0.email == identity.email }?.0
        )
    }

    public func enter(_ entry: SignInCommit, in realm: ID<Realm>) async throws -> Entered {
        do {
            return try await reaching {
                switch entry.step {
                case .signIn(let account): try await signIn(account, entry, in: realm)
                case .link(let account, let caller, let takesEmail):
                    try await link(to: account, by: caller, takesEmail: takesEmail, entry, in: realm)
                case .reclaim(let account): try await reclaim(account, entry, in: realm)
                case .create(let id, let takesEmail): try await create(id, takesEmail: takesEmail, entry, in: realm)
                }
            }
        } catch is Stale {
            return .stale
        } catch let error as PostgresError {
            switch error.uniqueViolation {
            case "replay_guard_pkey": return .used
            case "account_email_key", "linked_identity_pkey", "account_pkey": return .stale
            default: throw error
            }
        }
    }

    private func signIn(
        _ account: Account, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> Entered {
        guard let before = account.identities.first(where: entry.identity.isSame) else { return .stale }
        let after = LinkedIdentity(entry.identity, before: before)
        let session = entry.opened(in: account.id, generation: account.generation)
        let isOpen =
            try await pool.execute(
                .signIn(account, with: after, changed: after != before, entry, try SessionRow(session), in: realm))
            == 1
        guard isOpen else { return .stale }
        return .done(account.entered(with: after, at: entry.enteredAt), session)
    }

    private func create(
        _ id: ID<Account>, takesEmail: Bool, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> Entered {
        let identity = entry.linked
        let account = Account(id, for: identity, takesEmail: takesEmail, at: entry.enteredAt)
        let session = entry.opened(in: id, generation: account.generation)
        let isMade =
            try await pool.execute(.create(account, with: identity, entry, try SessionRow(session), in: realm)) == 1
        return isMade ? .done(account, session) : .stale
    }

    /// The account's row is locked first, so that what it is linked to changes for one at a time.
    private func link(
        to account: Account, by caller: Caller?, takesEmail: Bool, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> Entered {
        let session = entry.opened(in: account.id, generation: account.generation)
        let isAlive: SQL = try caller.map { SQL.isAlive(try SessionRow($0.session)) } ?? "true"
        let locking = SQL.lock(account, toLink: entry, takesEmail: takesEmail, where: isAlive, in: realm)
        return try await pool.transaction { transaction in
            guard try await transaction.execute(locking) == 1,
                try await transaction.execute(
                    .link(entry.linked, onceTo: account, entry, in: realm))
                    == 1
            else { throw Stale() }
            try await transaction.audit(
                [AuditNote(.identityLinked, account.id, entry.identity.provider)], by: .user(entry.trace),
                at: entry.enteredAt, in: realm)
            try await finish(
                session, entry, OutboxEvent(.identityLinked, of: account.id, provider: entry.identity.provider),
                in: realm, transaction)
            return try await entered(session, in: realm, transaction)
        }
    }

    private func reclaim(
        _ account: Account, _ entry: SignInCommit, in realm: ID<Realm>
    ) async throws -> Entered {
        let session = entry.opened(in: account.id, generation: account.generation + 1)
        return try await pool.transaction { transaction in
            guard try await transaction.execute(.reclaim(account, for: entry, in: realm)) == 1 else { throw Stale() }
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
            return try await entered(session, in: realm, transaction)
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

    private func entered(
        _ session: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Entered {
        guard let row = try await transaction.query(.find([.id(session.account)], in: realm)).first else {
            throw Stale()
        }
        return .done(try AccountRow.account(row), session)
    }
}

/// Rolls a transaction back whose decision no longer stands.
struct Stale: Error {}

extension VerifiedIdentity {
    func isSame(as linked: LinkedIdentity) -> Bool { linked.provider == provider && linked.subject == subject }
}

extension SignInCommit {
    /// The identity as it becomes an account's.
    var linked: LinkedIdentity {
        var linked = LinkedIdentity(identity)
        linked.linkedAt = enteredAt
        linked.linkedDevice = device
        return linked
    }

    func opened(in account: ID<Account>, generation: Int64) -> Session {
        Session(
            id: session, account: account, generation: generation, method: identity.provider,
            authenticatedAt: authenticatedAt, device: device, place: place)
    }
}
