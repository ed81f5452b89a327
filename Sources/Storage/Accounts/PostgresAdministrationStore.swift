public import Identity
public import Postgres

/// ``AdministrationStore`` on PostgreSQL. The database enforces uniqueness.
public struct PostgresAdministrationStore: AdministrationStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func taken(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in realm: ID<Realm>
    ) async throws -> Set<UniqueMember> {
        let statement = SQL.taken(id: id, email: email, phoneNumber: phoneNumber, in: realm)
        guard let row = try await withStoreErrors({ try await pool.query(statement) }).first else { return [] }
        let members: [(String, UniqueMember)] = [("id", .id), ("email", .email), ("phone_number", .phoneNumber)]
        return Set(try members.filter { try row.decode($0.0) }.map(\.1))
    }

    public func create(
        _ account: StoredAccount, by actor: AuditActor, in realm: ID<Realm>
    ) async throws {
        let statement = SQL.insert([account], in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute(statement)
                try await transaction.audit(
                    [AuditNote(.created, account.account.id)], by: actor, at: account.account.createdAt, in: realm)
            }
        }
    }

    public func find(_ references: [AccountReference], in realm: ID<Realm>) async throws -> [Account] {
        try await accounts(.find(references, in: realm))
    }

    public func change(
        _ account: ID<Account>, by change: AdministrativeChange, of actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account {
        guard
            let row = try await withStoreErrors({
                try await changed(account, by: change, of: actor, at: now, in: realm)
            })
        else { throw StoreConflict.notFound }
        return try AccountRow.account(row, lastRefreshAt: try row.decode("last_refresh_at"))
    }

    public func delete(
        _ account: ID<Account>, by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws {
        let statement = SQL.delete(account, by: actor, now: now, in: realm)
        guard try await withStoreErrors({ try await pool.execute(statement) }) == 1 else {
            throw StoreConflict.notFound
        }
    }

    public func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws -> Set<ID<Account>> {
        let statement = SQL.delete(accounts, onlyDisabled: onlyDisabled, by: actor, now: now, in: realm)
        return Set(try await withStoreErrors { try await pool.query(statement) }.map { ID(try $0.decode("id")) })
    }

    public func page(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [Account] {
        try await accounts(.page(after: id, limit: limit, in: realm))
    }

    public func count(in realm: ID<Realm>) async throws -> Int {
        try await withStoreErrors { try await pool.query(.count(in: realm)) }.first?.decode("count") ?? 0
    }

    private func accounts(_ statement: SQL) async throws -> [Account] {
        try await withStoreErrors { try await pool.query(statement) }.map {
            try AccountRow.account($0, lastRefreshAt: try $0.decode("last_refresh_at"))
        }
    }

    /// Locks the account's row first, so that transactions change its identities one after the other.
    private func changed(
        _ account: ID<Account>, by change: AdministrativeChange, of actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Row? {
        let update = SQL.update(account, by: change.update, at: now, in: realm)
        let statement: SQL = "\(update) RETURNING \(AccountRow.columns), \(AccountRow.lastRefresh)"
        let unlinked = change.unlinked + [change.linked?.provider].compactMap(\.self)
        return try await pool.transaction { transaction in
            guard let row = try await transaction.query(statement).first else { return nil as Row? }
            if change.update.mayEndSessions {
                let generation: Int64 = try row.decode("generation")
                _ = try await transaction.execute(.forgetSessions(of: account, before: generation - 1, in: realm))
                _ = try await transaction.execute(.voidCodes(of: account, in: realm))
            }
            if change.update.decidesOwner {
                _ = try await transaction.execute(.void(.all, of: account, in: realm))
            }
            var notes = change.update.note(about: account)
            guard !unlinked.isEmpty else {
                try await transaction.audit(notes, by: actor, at: now, in: realm)
                return row
            }
            var lost: [ProviderID] = []
            for row in try await transaction.query(.unlink(unlinked, from: account, in: realm)) {
                let provider = ProviderID(try row.decode("provider"))
                notes.append(AuditNote(.identityUnlinked, account, provider))
                let isReplacement = try row.decode("subject") == change.linked?.subject
                if provider != change.linked?.provider || !isReplacement { lost.append(provider) }
            }
            try await transaction.endSessions(
                of: [account], openedThrough: lost, except: nil, at: now, in: realm)
            if let identity = change.linked {
                _ = try await transaction.execute(.link(identity, to: account, at: now, in: realm))
                notes.append(AuditNote(.identityLinked, account, identity.provider))
            }
            try await transaction.audit(notes, by: actor, at: now, in: realm)
            return try await transaction.query(.find([.id(account)], in: realm)).first
        }
    }
}

extension AccountUpdate {
    fileprivate var mayEndSessions: Bool {
        isDisabled == false || email != nil || passwordHash != nil || validSince != nil
    }

    /// The administrator decides who owns the account. Links in earlier mailboxes end, because an attacker may hold one.
    fileprivate var decidesOwner: Bool { email != nil || passwordHash != nil || validSince != nil }

    fileprivate func note(about account: ID<Account>) -> [AuditNote] {
        members.isEmpty ? [] : [AuditNote(.updated, account, ["members": members.joined(separator: " ")])]
    }
}
