public import Identity
public import Postgres

/// ``PasskeyStore`` on PostgreSQL.
public struct PostgresPasskeyStore: PasskeyStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func passkey(_ id: ID<Passkey>, rpID: String) async throws -> FoundPasskey? {
        try await withStoreErrors { try await pool.read(.passkey(id, rpID: rpID)) }.first.map { row in
            FoundPasskey(
                realm: ID(try row.decode("passkey_realm_id")), account: try AccountRow.account(row),
                passkey: try NewPasskey(row))
        }
    }

    /// Returns the passkeys of accounts, with their public keys.
    public func passkeys(of accounts: [ID<Account>], in realm: ID<Realm>) async throws -> [ID<Account>: [NewPasskey]] {
        var passkeys: [ID<Account>: [NewPasskey]] = [:]
        for row in try await withStoreErrors({ try await pool.query(.passkeys(of: accounts, in: realm)) }) {
            passkeys[ID(try row.decode("account_id")), default: []].append(try NewPasskey(row))
        }
        return passkeys
    }

    public func add(_ addition: PasskeyAddition, by caller: Session, in realm: ID<Realm>) async throws -> Account {
        try await withStoreErrors {
            try await pool.transaction { try await add(addition, by: caller, in: realm, $0) }
        }
    }

    public func rename(
        _ passkey: ID<Passkey>, to name: String, by caller: Session, in realm: ID<Realm>
    ) async throws -> Bool {
        let statement = try SQL.rename(passkey, to: name, by: caller, in: realm)
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }

    public func signIn(_ use: PasskeyUse, opening session: NewSession, in realm: ID<Realm>) async throws {
        let statement = try SQL.open(session, with: use, in: realm)
        try await withStoreErrors {
            guard !use.events.isEmpty || session.hasEffects else {
                guard try await pool.execute(statement) == 1 else { throw StoreConflict.stale }
                return
            }
            try await pool.transaction { transaction in
                try await transaction.beginOpening(of: session, in: realm)
                guard try await transaction.execute(statement) == 1 else { throw StoreConflict.stale }
                try await transaction.record(use.events, by: use.recording, at: session.openedAt, in: realm)
                try await transaction.recordOpening(of: session, in: realm)
            }
        }
    }

    public func create(_ account: StoredAccount, with first: FirstPasskey, in realm: ID<Realm>) async throws {
        let (id, session) = (account.account.id, first.session)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.execute(.consume(ifUnused: first.challenge, in: realm)) == 1 else {
                    throw PasskeyRefusal.challengeExpired
                }
                _ = try await transaction.execute(try .create(account, opening: session, in: realm))
                guard try await transaction.execute(.insert(first.passkey, of: id, in: realm)) == 1 else {
                    throw PasskeyRefusal.exists
                }
                _ = try await transaction.execute(.countPasskeys(of: id, in: realm))
                try await transaction.recordOpening(of: session, isNewAccount: true, in: realm)
                try await transaction.record(first.events, by: first.recording, at: session.openedAt, in: realm)
            }
        }
    }

    private func add(
        _ addition: PasskeyAddition, by caller: Session, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Account {
        let (id, now) = (caller.account, addition.session.openedAt)
        // Locks the account, so that transactions change its passkeys one after the other.
        let locking: SQL = """
            SELECT 1 AS one FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(try SQL.isActive(caller))
                AND a.disabled_at IS NULL FOR UPDATE OF a
            """
        guard try await !transaction.query(locking).isEmpty else { throw StoreConflict.stale }
        try await transaction.requireProvenFactor(toAddBy: caller, in: realm)
        guard try await transaction.execute(.consume(ifUnused: addition.challenge, in: realm)) == 1 else {
            throw PasskeyRefusal.challengeExpired
        }
        guard try await transaction.execute(.insert(addition.passkey, of: id, in: realm)) == 1 else {
            throw PasskeyRefusal.exists
        }
        _ = try await transaction.execute(.countPasskeys(of: id, in: realm))
        if addition.session.session.generation > caller.generation {
            var update = AccountUpdate()
            update.endsSessions = true
            _ = try await transaction.execute(.update(id, by: update, at: now, in: realm, where: "true"))
        }
        let ending = try SQL.endReplacedSession(caller.id, at: now, in: realm)
        guard try await transaction.execute(ending) == 1 else { throw StoreConflict.stale }
        _ = try await transaction.execute(.openSession(addition.session, in: realm, forEachRowOf: .singleRow))
        try await transaction.record([addition.event(of: id)], by: addition.recording, at: now, in: realm)
        try await transaction.enqueue(addition.emailBatch, in: realm)
        guard let row = try await transaction.query(.find([.id(id)], in: realm)).first else {
            throw StoreConflict.stale
        }
        let account = try AccountRow.account(row)
        guard account.passkeys.count <= Passkey.limit else { throw PasskeyRefusal.limitExceeded }
        return account
    }
}
