internal import Encoding
public import Identity
internal import Postgres

extension PostgresAccountStore {
    public func store(
        _ accounts: [StoredAccount], overwrite: ImportOverwrite, recording: EventRecording, now: Instant,
        in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        // In this order, concurrent imports of the same email addresses do not deadlock.
        let ordered = accounts.sorted { $0.insertionOrder < $1.insertionOrder }
        return try await retryingConflicts(where: isUniqueValueTaken) { _ in
            try await withStoreErrors {
                try await storeOnce(ordered, overwrite: overwrite, recording: recording, now: now, in: realm)
            }
        }
    }

    private func storeOnce(
        _ accounts: [StoredAccount], overwrite: ImportOverwrite, recording: EventRecording, now: Instant,
        in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        try await pool.transaction { transaction in
            if overwrite != .none {
                try await transaction.requireRemainingOwner(without: accounts.map(\.account.id), in: realm)
            }
            let found = try await transaction.query(.find(accounts.flatMap(\.references), in: realm))
                .accounts { try AccountRow.account($0) }
            let existing = UniqueMemberOwners(found)
            var conflicting: [ID<Account>: UniqueMember] = [:]
            for stored in accounts {
                conflicting[stored.account.id] = existing.conflict(of: stored.account, overwriting: overwrite != .none)
            }
            let stored = accounts.filter { conflicting[$0.account.id] == nil }
            guard !stored.isEmpty else { return conflicting }
            let replaced = stored.map(\.account.id).filter(existing.ids.contains)
            if !replaced.isEmpty {
                if overwrite == .accountsWithoutIdentities {
                    try await transaction.requireNoIdentities(of: replaced, in: realm)
                }
                _ = try await transaction.execute(.remove(replaced, by: recording.actor, at: now, in: realm))
            }
            _ = try await transaction.execute(.insert(stored, in: realm))
            let identities = stored.flatMap(\.identities)
            if !identities.isEmpty {
                _ = try await transaction.execute(.insertIdentities(identities, at: now, in: realm))
            }
            if stored.contains(where: { !$0.factors.isEmpty }) {
                _ = try await transaction.execute(.insertFactors(of: stored, in: realm))
            }
            try await transaction.record(
                AccountEvent.importing(replacing: replaced), besides: [.imported(stored.map(\.account.id), in: realm)],
                by: recording, at: now, in: realm)
            return conflicting
        }
    }
}

extension Transaction {
    /// Requires that the accounts have neither identities, second factors nor passkeys. Locks the accounts first, so
    /// that no concurrent request links an identity to them.
    ///
    /// - Throws: ``AdministrationRefusal/unlinksIdentities``.
    fileprivate func requireNoIdentities(of accounts: [ID<Account>], in realm: ID<Realm>) async throws {
        _ = try await execute(.lock(accounts, in: realm))
        let linked: SQL = """
            (SELECT FROM linked_identity
                WHERE realm_id = \(realm.rawValue) AND account_id = ANY (\(accounts.map(\.rawValue))) LIMIT 1)
            UNION ALL
            (SELECT FROM account
                WHERE realm_id = \(realm.rawValue) AND id = ANY (\(accounts.map(\.rawValue))) AND factor_count + passkey_count > 0
                LIMIT 1)
            """
        guard try await query(linked).isEmpty else { throw AdministrationRefusal.unlinksIdentities }
    }
}

/// The stored accounts that have an ID, address, phone number or identity of an imported account.
private struct UniqueMemberOwners {
    var ids: Set<ID<Account>> = []
    private var owners: [AccountReference: ID<Account>] = [:]

    init(_ accounts: [Account]) {
        for account in accounts {
            ids.insert(account.id)
            for (_, reference) in account.uniqueIdentifiers { owners[reference] = account.id }
        }
    }

    /// - Parameter overwriting: whether the import replaces a stored account with the same ID. If so, the ID does not
    ///   conflict.
    /// - Returns: the member of `account` that conflicts with a stored account; `nil` if there is none.
    func conflict(of account: Account, overwriting: Bool) -> UniqueMember? {
        for (member, reference) in account.uniqueIdentifiers {
            if let owner = owners[reference], owner != account.id { return member }
        }
        return !overwriting && ids.contains(account.id) ? .id : nil
    }
}

extension StoredAccount {
    /// The identities of an imported account. The creation time of the account is stored as the time when they were
    /// linked.
    var identities: [(identity: LinkedIdentity, account: ID<Account>, linkedAt: Instant)] {
        account.identities.map { ($0, account.id, account.createdAt) }
    }

    /// The sort key of inserted accounts. Concurrent transactions insert accounts in the same order of addresses, so
    /// that they do not deadlock.
    var insertionOrder: (ByteText, ID<Account>) { (ByteText(account.email?.rawValue ?? ""), account.id) }

    fileprivate var references: [AccountReference] { [.id(account.id)] + account.uniqueIdentifiers.map(\.1) }
}
