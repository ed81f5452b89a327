internal import Identity
internal import Postgres

extension Transaction {
    /// Links, unlinks or moves an identity for an administrator.
    ///
    /// - Parameter linkOnly: providers whose identities do not count as sign-in methods.
    /// - Throws: ``IdentityRefusal``.
    func apply(
        _ change: IdentityChange, ignoring linkOnly: Set<ProviderID>, by actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> DatedIdentity {
        let ids = [change.accounts.from, change.accounts.to].compactMap(\.self)
        _ = try await execute(.lock(ids, in: realm))
        let accounts = try await query(.find(ids.map { .id($0) }, in: realm)).map { try AccountRow.account($0) }
        func account(_ id: ID<Account>) throws(IdentityRefusal) -> Account {
            guard let account = accounts.first(where: { $0.id == id }) else { throw .accountUnknown }
            return account
        }
        switch change {
        case .link(let identity, let id):
            return try await link(identity, to: try account(id), by: actor, at: now, in: realm)
        case .unlink(let provider, let id, let allowsNoSignInMethod):
            let (remaining, identity) = try account(id).unlinking(
                provider, allowsNoSignInMethod: allowsNoSignInMethod, ignoring: linkOnly)
            guard let dated = DatedIdentity(identity, of: id) else { throw IdentityRefusal.notLinked }
            _ = try await execute(.unlink([provider], from: id, in: realm))
            try await endSessions(of: [id], openedThrough: [provider], except: nil, at: now, in: realm)
            try await storePrimaryEmail(of: remaining, ifChangedFrom: try account(id), at: now, in: realm)
            try await insertEventAndAudit(
                .identityUnlinked, auditing: .identityUnlinked, of: id, provider, by: actor, at: now, in: realm)
            return dated
        case .move(let provider, let from, let to, let allowsNoSignInMethod):
            let (source, target) = (try account(from), try account(to))
            let (remaining, identity) = try source.unlinking(
                provider, allowsNoSignInMethod: allowsNoSignInMethod, ignoring: linkOnly)
            // `nil`, because the source loses the identity.
            let updated = try target.linking(identity, ownedBy: nil)
            _ = try await execute(.move(identity, to: to, at: now, in: realm))
            try await endSessions(of: [from], openedThrough: [provider], except: nil, at: now, in: realm)
            try await storePrimaryEmail(of: remaining, ifChangedFrom: source, at: now, in: realm)
            try await storePrimaryEmail(of: updated, ifChangedFrom: target, at: now, in: realm)
            try await insertEventAndAudit(
                .identityUnlinked, auditing: .identityUnlinked, of: from, provider, target: to, by: actor, at: now,
                in: realm)
            try await insertEventAndAudit(
                .identityLinked, auditing: .identityLinked, of: to, provider, source: from, by: actor, at: now,
                in: realm)
            return DatedIdentity(identity: identity, account: to, linkedAt: now)
        }
    }

    private func link(
        _ identity: LinkedIdentity, to account: Account, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> DatedIdentity {
        let reference = AccountReference.identity(provider: identity.provider, subject: identity.subject)
        let owner = try await query(.find([reference], in: realm)).first.map { try AccountRow.account($0).id }
        let updated = try account.linking(identity, ownedBy: owner)
        _ = try await execute(.link(identity, to: account.id, at: now, in: realm))
        try await storePrimaryEmail(of: updated, ifChangedFrom: account, at: now, in: realm)
        try await insertEventAndAudit(
            .identityLinked, auditing: .identityLinked, of: account.id, identity.provider, by: actor, at: now,
            in: realm)
        return DatedIdentity(identity: identity, account: account.id, linkedAt: now)
    }

    /// Stores the primary email address of `account`, or removes it if another account has the same address.
    ///
    /// - Parameter before: the account as it is stored. Nothing is written if `account` has the same address and the
    ///   same verified flag.
    /// - Returns: `account` with the address that is stored now.
    @discardableResult
    func storePrimaryEmail(
        of account: Account, ifChangedFrom before: Account, at now: Instant, in realm: ID<Realm>
    ) async throws -> Account {
        guard (account.email, account.emailIsVerified) != (before.email, before.emailIsVerified) else { return account }
        var updated = account
        if let email = account.email, email != before.email,
            try await !query(.holder(of: email, in: realm)).isEmpty
        {
            (updated.email, updated.emailIsVerified) = (nil, false)
        }
        var update = AccountUpdate()
        update.email = AccountUpdate.Value(updated.email)
        update.emailIsVerified = updated.emailIsVerified
        _ = try await execute(.update(account.id, by: update, at: now, in: realm))
        return updated
    }

    /// Inserts an event into the outbox, and the corresponding audit event.
    ///
    /// - Parameters:
    ///   - source: the account that an identity was moved from, if `account` has gained the identity.
    ///   - target: the account that an identity was moved to, if `account` has lost the identity. Only the audit event
    ///     contains this account.
    private func insertEventAndAudit(
        _ kind: OutboxEvent.Kind, auditing action: AuditNote.AccountAction, of account: ID<Account>,
        _ provider: ProviderID, source: ID<Account>? = nil, target: ID<Account>? = nil, by actor: AuditActor,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        let event = OutboxEvent(kind, of: account, provider: provider, source: source)
        _ = try await execute(.insertOutboxEvent(event, at: now, in: realm))
        var detail = ["provider": provider.rawValue]
        detail["source"] = source?.rawValue
        detail["target"] = target?.rawValue
        try await audit([AuditNote(action, account, detail)], by: actor, at: now, in: realm)
    }
}

extension SQL {
    fileprivate static func move(
        _ identity: LinkedIdentity, to account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE linked_identity SET account_id = \(account.rawValue), linked_at = \(Timestamp(now))
        WHERE project_id = \(realm.rawValue) AND provider = \(identity.provider.rawValue)
            AND subject = \(identity.subject)
        """
    }
}
