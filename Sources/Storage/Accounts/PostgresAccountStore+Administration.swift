public import Identity
internal import Postgres

/// Operations of administrators on accounts.
extension PostgresAccountStore {
    public func takenMembers(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in realm: ID<Realm>
    ) async throws -> Set<UniqueMember> {
        let statement = SQL.taken(id: id, email: email, phoneNumber: phoneNumber, in: realm)
        guard let row = try await withStoreErrors({ try await pool.query(statement) }).first else {
            return []
        }
        let members: [(String, UniqueMember)] = [("id", .id), ("email", .email), ("phone_number", .phoneNumber)]
        return Set(try members.filter { try row.decode($0.0) }.map(\.1))
    }

    public func create(
        _ account: StoredAccount, events: [AccountEvent], recording: EventRecording, in realm: ID<Realm>
    ) async throws {
        let statement = SQL.insert([account], in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute(statement)
                if !account.factors.isEmpty {
                    _ = try await transaction.execute(.insertFactors(of: [account], in: realm))
                }
                try await transaction.record(events, by: recording, at: account.account.createdAt, in: realm)
            }
        }
    }

    public func find(_ references: [AccountReference], in realm: ID<Realm>) async throws -> [Account] {
        try await accounts(.find(references, in: realm))
    }

    public func change(
        _ account: ID<Account>, by change: AdministrativeChange, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account {
        let row = try await withStoreErrors {
            try await pool.transaction {
                try await $0.apply(change, to: account, recording: recording, at: now, in: realm)
            }
        }
        return try AccountRow.account(row)
    }

    public func delete(
        _ account: ID<Account>, by deletion: AccountDeletion, in realm: ID<Realm>
    ) async throws {
        let statement = try SQL.delete(account, by: deletion, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                try await transaction.requireRemainingOwner(without: [account], in: realm)
                guard try await transaction.execute(statement) == 1 else { throw StoreConflict.notFound }
            }
        }
    }

    public func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by deletion: AccountDeletion, in realm: ID<Realm>
    ) async throws -> Set<ID<Account>> {
        let statement = try SQL.delete(accounts, onlyDisabled: onlyDisabled, by: deletion, in: realm)
        let kept = try await withStoreErrors {
            try await pool.transaction { transaction in
                // Owners that are not enabled do not count, and the others are kept.
                if !onlyDisabled { try await transaction.requireRemainingOwner(without: accounts, in: realm) }
                return try await transaction.query(statement)
            }
        }
        return Set(try kept.map { ID(try $0.decode("id")) })
    }

    public func page(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [Account] {
        try await accounts(.page(after: id, limit: limit, in: realm))
    }

    public func count(in realm: ID<Realm>) async throws -> Int {
        try await pool.withLongQueries(in: realm) { try await pool.query(.count(in: realm)) }.first?.decode("count")
            ?? 0
    }

    private func accounts(_ statement: SQL) async throws -> [Account] {
        try await withStoreErrors { try await pool.query(statement) }.accounts(AccountRow.accountWithLastRefresh)
    }
}

extension Transaction {
    /// Applies `change`. Locks the account's row first, for two reasons: transactions change the account's identities
    /// one after the other, and this transaction decides from the current row.
    ///
    /// - Returns: the account's row after the change.
    fileprivate func apply(
        _ change: AdministrativeChange, to id: ID<Account>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Row {
        let owners: Owners? = if change.mayEndAdministration { try await lockOwners(in: realm) } else { nil }
        if change.update.isDisabled == true { try owners?.requireRemaining(without: [id]) }
        guard let locked = try await query(.lock(id, in: realm)).first else { throw StoreConflict.notFound }
        let account = try AccountRow.account(locked)
        if change.leavesAddressUnproven(of: account) { try await requireNoRole(of: id, in: realm) }
        var update = change.update
        // The same number again does not change when it was proven and added.
        if let number = account.phoneNumber, update.phoneNumber == .set(number) {
            (update.phoneNumber, update.phoneAddedAt) = (nil, nil)
        }
        if case .set = update.phoneNumber, change.leavesFactors(to: account) {
            throw PhoneRefusal.unsupportedFirstFactor
        }
        if change.onlyRaisesValidSince, let time = update.validSince {
            update.validSince = max(time, account.validSince)
        }
        update.endsSessions = update.endsSessions(of: account)
        var (removed, replacesProfile) = (change.unlinked, false)
        if let identity = change.linked {
            // An account has at most one identity of each provider. If it already has the one to link, this identity is
            // not deleted: the deletion would revoke Apple's tokens and end the identity's sessions.
            if !removed.contains(identity.provider) {
                replacesProfile = try await execute(.replaceProfile(of: identity, linkedTo: id, in: realm)) == 1
            }
            if !replacesProfile { removed.insert(identity.provider) }
        }
        let unlinked = try await unlink(removed, from: id, at: now, in: realm)
        if let identity = change.linked, !replacesProfile {
            _ = try await execute(.link(identity, to: id, at: now, in: realm))
        }
        if let former = account.phoneNumber, let number = update.phoneNumber, number != .set(former) {
            _ = try await execute(.endPhoneSessions(of: id, at: now, in: realm))
        }
        if let kept = change.keptFactors {
            try await keepFactors(kept, of: account, recording: recording, at: now, in: realm)
        }
        if !change.removedPasskeys.isEmpty {
            try await removePasskeys(
                of: id, .these(change.removedPasskeys), recording: recording, at: now, in: realm)
        }
        if let owners, try await !hasConsoleFactor(id, in: realm) { try owners.requireRemaining(without: [id]) }
        try await enqueue(change.emailBatch, in: realm)
        try await record(
            AccountEvent.unlinking(unlinked, from: id) + change.events(of: id, replacesProfile: replacesProfile),
            by: recording, at: now, in: realm)
        // After the changes of identities, so that the row contains the identities as they are now.
        let rows = try await query(
            "\(.update(id, by: update, at: now, in: realm)) RETURNING \(AccountRow.columns)")
        guard let row = rows.first else { throw StoreConflict.notFound }
        if update.endsSessions {
            _ = try await execute(.deleteSessions(of: id, before: account.generation, in: realm))
        }
        if update.decidesOwner {
            // Now the administrator has determined the owner. Another user, such as an attacker, may have a remedy: an
            // emailed link that recovers an address or removes a sign-in method.
            _ = try await execute(.deleteCodes(exceptUndoCodesOf: id, in: realm))
        } else if update.endsSessions {
            _ = try await execute(.deleteCodes(exceptRemediesOf: id, in: realm))
        }
        return row
    }
}

extension SQL {
    fileprivate static func lock(_ account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(AccountRow.columns) FROM account a
        WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.rawValue) FOR UPDATE OF a
        """
    }

    /// Replaces the address, the name and the photo of an identity, if the account has the identity. The other columns
    /// stay, such as the time of linking, the issuer and the credential state. If the address does not change, its
    /// trust and the state of Apple's email relay stay too.
    fileprivate static func replaceProfile(
        of identity: LinkedIdentity, linkedTo account: ID<Account>, in realm: ID<Realm>
    ) -> SQL {
        let keepsAddress: SQL = "email = \(identity.email?.rawValue)"
        return """
            UPDATE linked_identity SET display_name = \(identity.profile.displayName),
                photo_url = \(identity.profile.photoURL?.rawValue), email = \(identity.email?.rawValue),
                email_trust = CASE WHEN \(keepsAddress) THEN email_trust ELSE \(identity.emailTrust.rawValue) END,
                is_private_email = CASE WHEN \(keepsAddress) THEN is_private_email
                    ELSE \(identity.isPrivateEmail) END,
                relay_forwarding = CASE WHEN \(keepsAddress) THEN relay_forwarding END,
                relay_forwarding_at = CASE WHEN \(keepsAddress) THEN relay_forwarding_at END
            WHERE realm_id = \(realm.rawValue) AND provider = \(identity.provider.rawValue)
                AND subject = \(identity.subject) AND account_id = \(account.rawValue)
            """
    }

    /// Selects one row with three flags: whether any account has the ID, whether an account with another ID has the
    /// email address, and whether an account with another ID has the phone number.
    fileprivate static func taken(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT EXISTS (SELECT FROM account WHERE realm_id = \(realm.rawValue) AND id = \(id?.rawValue)) AS id,
            EXISTS (SELECT FROM account WHERE realm_id = \(realm.rawValue) AND email = \(email?.rawValue)
                AND id IS DISTINCT FROM \(id?.rawValue)) AS email,
            EXISTS (SELECT FROM account WHERE realm_id = \(realm.rawValue)
                AND phone_number = \(phoneNumber?.rawValue) AND id IS DISTINCT FROM \(id?.rawValue)) AS phone_number
        """
    }
}
