public import Identity
internal import Postgres

/// Operations of administrators on accounts.
extension PostgresAccountStore {
    public func takenMembers(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, besides account: ID<Account>?,
        in realm: ID<Realm>
    ) async throws -> Set<UniqueMember> {
        let statement = SQL.taken(id: id, email: email, phoneNumber: phoneNumber, besides: account, in: realm)
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
        _ account: ID<Account>, by change: AdministrativeChange, actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account {
        let row = try await withStoreErrors {
            try await pool.transaction { try await $0.apply(change, to: account, actor: actor, at: now, in: realm) }
        }
        return try AccountRow.accountWithLastRefresh(row)
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
        try await withStoreErrors { try await pool.query(statement) }.map { try AccountRow.accountWithLastRefresh($0) }
    }
}

extension Transaction {
    /// Applies `change`. Locks the account's row first, for two reasons: transactions change the account's identities
    /// one after the other, and this transaction decides from the current row.
    ///
    /// - Returns: the account's row after the change.
    fileprivate func apply(
        _ change: AdministrativeChange, to id: ID<Account>, actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Row {
        guard let locked = try await query(.lock(id, in: realm)).first else { throw StoreConflict.notFound }
        let account = try AccountRow.account(locked)
        var update = change.update
        update.sessions = update.endsSessions(of: account) ? .endAll : .keep
        let rows = try await query(
            "\(.update(id, by: update, at: now, in: realm)) RETURNING \(AccountRow.columns), \(AccountRow.lastRefresh)")
        guard let row = rows.first else { throw StoreConflict.notFound }
        if update.sessions == .endAll {
            _ = try await execute(.deleteSessions(of: id, before: account.generation, in: realm))
        }
        if update.sessions == .endAll || update.decidesOwner {
            _ = try await execute(.voidCodesExceptRemedies(of: id, in: realm))
        }
        // Now the administrator has determined the owner. Another user, such as an attacker, may have a remedy: an
        // emailed link that recovers an address or removes a sign-in method.
        if update.decidesOwner { _ = try await execute(.voidRemedies(.all, of: id, in: realm)) }
        let members = update.members.joined(separator: " ")
        var notes = members.isEmpty ? [] : [AuditNote(.updated, id, ["members": members])]
        let changesIdentities = change.linked != nil || !change.unlinked.isEmpty
        if changesIdentities { notes += try await changeIdentities(of: id, by: change, at: now, in: realm) }
        try await audit(notes, by: actor, at: now, in: realm)
        guard changesIdentities else { return row }
        // Reads the account again, because `row` has the identities from before the change.
        return try await query(.find([.id(id)], in: realm)).first ?? row
    }

    /// Unlinks and links the identities that `change` names, and ends the sessions that were opened through the
    /// unlinked ones. A linked identity replaces the account's identity of the same provider. If the replaced identity
    /// has the same subject, the sessions that were opened through it do not end.
    ///
    /// - Returns: the audit events to insert.
    private func changeIdentities(
        of account: ID<Account>, by change: AdministrativeChange, at now: Instant, in realm: ID<Realm>
    ) async throws -> [AuditNote] {
        var notes: [AuditNote] = []
        var removed: [ProviderID] = []
        let unlinked = change.unlinked + [change.linked?.provider].compactMap(\.self)
        for row in try await query(.unlink(unlinked, from: account, in: realm)) {
            let provider = ProviderID(try row.decode("provider"))
            notes.append(AuditNote(.identityUnlinked, account, provider))
            let hasLinkedSubject = try row.decode("subject") == change.linked?.subject
            if provider != change.linked?.provider || !hasLinkedSubject { removed.append(provider) }
        }
        try await endSessions(of: [account], openedThrough: removed, except: nil, at: now, in: realm)
        guard let identity = change.linked else { return notes }
        _ = try await execute(.link(identity, to: account, at: now, in: realm))
        return notes + [AuditNote(.identityLinked, account, identity.provider)]
    }
}

extension SQL {
    fileprivate static func lock(_ account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(AccountRow.columns) FROM account a
        WHERE a.project_id = \(realm.rawValue) AND a.id = \(account.rawValue) FOR UPDATE OF a
        """
    }

    /// Selects one row with three flags: whether any account has the ID, whether an account other than `account` has
    /// the email address, and whether an account other than `account` has the phone number.
    fileprivate static func taken(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, besides account: ID<Account>?,
        in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT EXISTS (SELECT FROM account WHERE project_id = \(realm.rawValue) AND id = \(id?.rawValue)) AS id,
            EXISTS (SELECT FROM account WHERE project_id = \(realm.rawValue) AND email = \(email?.rawValue)
                AND id IS DISTINCT FROM \(account?.rawValue)) AS email,
            EXISTS (SELECT FROM account WHERE project_id = \(realm.rawValue)
                AND phone_number = \(phoneNumber?.rawValue) AND id IS DISTINCT FROM \(account?.rawValue)) AS phone_number
        """
    }
}
