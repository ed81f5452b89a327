internal import Identity
internal import Postgres

/// Changes of the issuers of generic OpenID providers.
///
/// An identity conflicts with a new issuer if another issuer assigned its subject, because the new issuer may assign
/// this subject to another user. A sign-in that links an identity holds a shared lock on the row of its provider until
/// it commits; see ``SQL/hasCurrentIssuer(_:in:)``. A change of the issuer takes an exclusive lock before it searches
/// for identities.
extension Transaction {
    /// Locks the providers, so that no transaction can link an identity of the old issuer.
    ///
    /// - Returns: the number of conflicting identities of each provider. Providers without such identities are omitted.
    func conflictingIdentities(
        of changes: [IssuerChange], in realm: ID<Realm>
    ) async throws -> [ProviderID: Int] {
        var counts: [ProviderID: Int] = [:]
        for change in changes {
            // A provider that was not configured has no row to lock.
            if change.old != nil { _ = try await execute(.lock(change.provider, in: realm)) }
            // A separate statement, so that it sees the identities that transactions with an earlier lock have linked.
            guard let condition = SQL.conflicts(of: change, in: realm),
                let row = try await query("SELECT count(*) AS count FROM linked_identity l WHERE \(condition)").first
            else { continue }
            let count: Int = try row.decode("count")
            if count > 0 { counts[change.provider] = count }
        }
        return counts
    }

    /// Unlinks the conflicting identities. If a provider is removed, stores its issuer in its identities instead, for
    /// the case that the provider is configured again.
    func apply(
        _ changes: [IssuerChange], recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        for change in changes {
            if let old = change.old, change.new == nil {
                _ = try await execute(.storeIssuer(old, of: change.provider, in: realm))
            }
            while try await unlinkBatch(change, recording: recording, at: now, in: realm) {}
        }
    }

    /// Unlinks the conflicting identities of up to 500 accounts.
    ///
    /// - Returns: `false` if there were none.
    private func unlinkBatch(
        _ change: IssuerChange, recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        guard let condition = SQL.conflicts(of: change, in: realm) else { return false }
        let owners: [ID<Account>] = try await query(
            "SELECT DISTINCT l.account_id FROM linked_identity l WHERE \(condition) ORDER BY 1 LIMIT 500"
        ).map { ID(try $0.decode("account_id")) }
        guard !owners.isEmpty else { return false }
        _ = try await execute(.lock(owners, in: realm))
        let accounts = try await query(.find(owners.map { .id($0) }, in: realm)).accounts { try AccountRow.account($0) }
        _ = try await execute(.unlink(change.provider, from: owners, in: realm))
        try await endSessions(of: owners, openedThrough: [change.provider], except: nil, at: now, in: realm)
        for account in accounts where account.identity(of: change.provider) != nil {
            // Accounts may lose their last sign-in method: the caller has ``EditPermissions/discardIdentities``.
            let remaining = try account.unlinking(change.provider, allowsNoSignInMethod: true, ignoring: []).remaining
            try await storePrimaryEmail(of: remaining, ifChangedFrom: account, at: now, in: realm)
        }
        try await record(change.events(unlinkingFrom: owners), by: recording, at: now, in: realm)
        return true
    }
}

extension SQL {
    /// A condition: the identity `l` conflicts with the new issuer. An identity without a stored issuer has the old
    /// issuer of its provider. If the provider had none, an administrator linked the identity before the provider was
    /// configured, and the identity does not conflict.
    ///
    /// - Returns: `nil` if the provider is removed, so that no identity can conflict.
    fileprivate static func conflicts(of change: IssuerChange, in realm: ID<Realm>) -> SQL? {
        guard let new = change.new else { return nil }
        return """
            l.realm_id = \(realm.rawValue) AND l.provider = \(change.provider.rawValue)
                AND coalesce(l.issuer, \(change.old)) <> \(new)
            """
    }

    fileprivate static func lock(_ provider: ProviderID, in realm: ID<Realm>) -> SQL {
        """
        SELECT FROM identity_provider WHERE realm_id = \(realm.rawValue) AND provider = \(provider.rawValue)
        FOR UPDATE
        """
    }

    fileprivate static func storeIssuer(_ issuer: String, of provider: ProviderID, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET issuer = \(issuer)
        WHERE realm_id = \(realm.rawValue) AND provider = \(provider.rawValue) AND issuer IS NULL
        """
    }

    fileprivate static func unlink(
        _ provider: ProviderID, from accounts: [ID<Account>], in realm: ID<Realm>
    ) -> SQL {
        """
        DELETE FROM linked_identity WHERE realm_id = \(realm.rawValue) AND provider = \(provider.rawValue)
            AND account_id = ANY (\(accounts.map(\.rawValue)))
        """
    }
}
