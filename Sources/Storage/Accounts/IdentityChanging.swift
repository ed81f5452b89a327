internal import Encoding
internal import Identity
internal import Postgres

extension Transaction {
    /// Links, unlinks or moves an identity for an administrator.
    ///
    /// - Parameter linkOnly: providers whose identities do not count as sign-in methods.
    /// - Throws: ``IdentityRefusal``.
    func apply(
        _ change: IdentityChange, ignoring linkOnly: Set<ProviderID>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> DatedIdentity {
        let identity = try await apply(change, ignoring: linkOnly, at: now, in: realm)
        try await record(change.events, by: recording, at: now, in: realm)
        return identity
    }

    private func apply(
        _ change: IdentityChange, ignoring linkOnly: Set<ProviderID>, at now: Instant, in realm: ID<Realm>
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
            let account = try account(id)
            let reference = AccountReference.identity(provider: identity.provider, subject: ByteText(identity.subject))
            let owner = try await query(.find([reference], in: realm)).first.map { try AccountRow.account($0).id }
            let updated = try account.linking(identity, ownedBy: owner)
            _ = try await execute(.link(identity, to: id, at: now, in: realm))
            try await storePrimaryEmail(of: updated, ifChangedFrom: account, at: now, in: realm)
            return DatedIdentity(identity: identity, account: id, linkedAt: now)
        case .unlink(let provider, let id, let allowsNoSignInMethod):
            let account = try account(id)
            let (remaining, identity) = try account.unlinking(
                provider, allowsNoSignInMethod: allowsNoSignInMethod, ignoring: linkOnly)
            guard let dated = DatedIdentity(identity, of: id) else { throw IdentityRefusal.notLinked }
            _ = try await unlink([provider], from: id, at: now, in: realm)
            try await storePrimaryEmail(of: remaining, ifChangedFrom: account, at: now, in: realm)
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
            return DatedIdentity(identity: identity, account: to, linkedAt: now)
        }
    }

    /// Unlinks the account's identities of `providers`, and ends the sessions that were opened through them. Ignores
    /// providers of which the account has no identity.
    ///
    /// - Parameter excluded: a session that is not ended, usually that of the caller.
    /// - Returns: the providers whose identities were unlinked.
    func unlink(
        _ providers: Set<ProviderID>, from account: ID<Account>, except excluded: ID<Session>? = nil,
        at now: Instant, in realm: ID<Realm>
    ) async throws -> [ProviderID] {
        guard !providers.isEmpty else { return [] }
        let unlinked = try await query(.unlink(providers, from: account, in: realm))
            .map { ProviderID(try $0.decode("provider")) }
        try await endSessions(of: [account], openedThrough: unlinked, except: excluded, at: now, in: realm)
        return unlinked
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
            try await !query(.account(withPrimaryEmail: email, in: realm)).isEmpty
        {
            (updated.email, updated.emailIsVerified) = (nil, false)
        }
        var update = AccountUpdate()
        update.email = AccountUpdate.Value(updated.email)
        update.emailIsVerified = updated.emailIsVerified
        _ = try await execute(.update(account.id, by: update, at: now, in: realm))
        return updated
    }
}

extension SQL {
    fileprivate static func move(
        _ identity: LinkedIdentity, to account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE linked_identity SET account_id = \(account.rawValue), linked_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND provider = \(identity.provider.rawValue)
            AND subject = \(identity.subject)
        """
    }
}
