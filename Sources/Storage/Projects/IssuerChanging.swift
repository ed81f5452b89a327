internal import Identity
internal import Postgres

/// Changes of the issuers of generic OpenID providers.
///
/// A sign-in that links an identity holds a shared lock on its provider's row until it commits, see
/// ``SQL/issuerStands(for:in:)``; a change of the issuer takes that lock exclusively before it looks for identities.
extension Transaction {
    /// Locks the providers, so that no transaction can link an identity of the old issuer.
    ///
    /// - Returns: by provider, how many identities would become another user's; without the providers that have none.
    func conflictingIdentities(
        of changes: [IssuerChange], in realm: ID<Realm>
    ) async throws -> [ProviderID: Int] {
        var counts: [ProviderID: Int] = [:]
        for change in changes {
            if change.old != nil { _ = try await execute(.lock(change.provider, in: realm)) }
            // A separate statement, so that it sees what the previous holders of the lock have linked.
            guard let condition = SQL.conflicts(of: change, in: realm),
                let row = try await query("SELECT count(*) AS count FROM linked_identity l WHERE \(condition)").first
            else { continue }
            let count: Int = try row.decode("count")
            if count > 0 { counts[change.provider] = count }
        }
        return counts
    }

    /// Unlinks the conflicting identities, and stores the issuer of a removed provider in its identities.
    func apply(
        _ changes: [IssuerChange], by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws {
        for change in changes {
            if let old = change.old, change.new == nil {
                _ = try await execute(.storeIssuer(old, of: change.provider, in: realm))
            }
            while try await discardBatch(change, by: actor, at: now, in: realm) {}
        }
    }

    /// - Returns: `false` if no identity is left.
    private func discardBatch(
        _ change: IssuerChange, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        guard let condition = SQL.conflicts(of: change, in: realm) else { return false }
        let owners: [ID<Account>] = try await query(
            "SELECT DISTINCT l.account_id FROM linked_identity l WHERE \(condition) ORDER BY 1 LIMIT 500"
        ).map { ID(try $0.decode("account_id")) }
        guard !owners.isEmpty else { return false }
        _ = try await execute(.lock(owners, in: realm))
        let accounts = try await query(.find(owners.map { .id($0) }, in: realm)).map { try AccountRow.account($0) }
        _ = try await execute(.unlink(change.provider, from: owners, in: realm))
        try await endSessions(of: owners, openedThrough: [change.provider], except: nil, at: now, in: realm)
        for account in accounts where account.identities.contains(where: { $0.provider == change.provider }) {
            // A configuration that discards identities confirms it, as `allowNoSignInMethod` does for one account.
            let remaining = try account.unlinking(change.provider, allowsNoSignInMethod: true, ignoring: []).remaining
            try await storePrimaryEmail(of: remaining, was: account, at: now, in: realm)
        }
        _ = try await execute(.insertOutboxEvent(.identityUnlinked, of: owners, change.provider, at: now, in: realm))
        try await audit(
            owners.map { AuditNote(.identityUnlinked, $0, change.provider) }, by: actor, at: now, in: realm)
        return true
    }
}

extension SQL {
    /// A condition: the row `l` of an identity would be another user's under the new issuer. For an identity without
    /// an issuer, only the provider's old issuer is known; if the provider had none, an administrator linked the
    /// identity before.
    ///
    /// - Returns: `nil` if there can be no such identity.
    fileprivate static func conflicts(of change: IssuerChange, in realm: ID<Realm>) -> SQL? {
        guard let new = change.new else { return nil }
        return """
            l.project_id = \(realm.rawValue) AND l.provider = \(change.provider.rawValue)
                AND coalesce(l.issuer, \(change.old)) <> \(new)
            """
    }

    fileprivate static func lock(_ provider: ProviderID, in realm: ID<Realm>) -> SQL {
        """
        SELECT FROM identity_provider WHERE project_id = \(realm.rawValue) AND provider = \(provider.rawValue)
        FOR UPDATE
        """
    }

    fileprivate static func storeIssuer(_ issuer: String, of provider: ProviderID, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET issuer = \(issuer)
        WHERE project_id = \(realm.rawValue) AND provider = \(provider.rawValue) AND issuer IS NULL
        """
    }

    fileprivate static func unlink(
        _ provider: ProviderID, from accounts: [ID<Account>], in realm: ID<Realm>
    ) -> SQL {
        """
        DELETE FROM linked_identity WHERE project_id = \(realm.rawValue) AND provider = \(provider.rawValue)
            AND account_id = ANY (\(accounts.map(\.rawValue)))
        """
    }
}
