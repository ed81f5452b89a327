public import Identity
internal import Postgres

/// Import and export of whole projects.
extension PostgresAccountStore {
    /// Updates the planner's statistics after an import.
    public func gatherStatistics() async throws {
        _ = try await withStoreErrors { try await pool.execute("ANALYZE account, linked_identity") }
    }

    /// Stores many accounts in one transaction, each of them completely or not at all. Stored accounts are not changed.
    ///
    /// - Parameter accounts: with different IDs.
    /// - Returns: the conflicting members of the accounts that were not stored; the ID takes precedence.
    public func add(
        _ accounts: [StoredAccount], by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        guard !accounts.isEmpty else { return [:] }
        return try await retryingConflicts(where: isTaken) { _ in
            try await withStoreErrors {
                try await pool.transaction { try await $0.add(accounts, by: actor, now: now, in: realm) }
            }
        }
    }

    /// The accounts after `id` with their password hashes, in the order of IDs.
    public func stored(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [StoredAccount] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT a.password_hash, \(AccountRow.columns) FROM (
                    SELECT * FROM account a WHERE a.project_id = \(realm.rawValue) AND a.id > \(id?.rawValue ?? "")
                    ORDER BY a.id LIMIT \(limit)) a
                ORDER BY a.id
                """)
        }.map { row in
            StoredAccount(account: try AccountRow.account(row), passwordHash: try row.decode("password_hash"))
        }
    }
}

extension Transaction {
    fileprivate func add(
        _ accounts: [StoredAccount], by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        var inTheWay = try await identitiesInTheWay(of: accounts, in: realm)
        let free = accounts.filter { inTheWay[$0.account.id] == nil }
        let made = Set(
            try await query(.insertSkippingConflicts(free, in: realm)).map { ID<Account>(try $0.decode("id")) })
        let stored = free.filter { made.contains($0.account.id) }
        let identities = stored.flatMap(\.identities)
        if !identities.isEmpty { _ = try await execute(.linking(identities, at: now, in: realm)) }
        if !stored.isEmpty {
            try await audit(
                AuditNote.imported(stored.map(\.account.id), in: realm), by: actor, at: now, in: realm)
        }
        let missing = accounts.map(\.account).filter { !made.contains($0.id) }
        guard !missing.isEmpty else { return [:] }
        let taken = try TakenNames(try await query(.takenNames(of: missing, in: realm)))
        for account in missing {
            // If no account has the member now, it belonged to an account that was deleted in the meantime.
            inTheWay[account.id] = taken.member(of: account) ?? inTheWay[account.id] ?? .id
        }
        return inTheWay
    }

    /// The accounts with an identity of another account, or of an earlier one in `accounts`.
    private func identitiesInTheWay(
        of accounts: [StoredAccount], in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        let identities = accounts.flatMap(\.account.identities)
        guard !identities.isEmpty else { return [:] }
        var owners: [[String]: ID<Account>] = [:]
        for row in try await query(.owners(of: identities, in: realm)) {
            owners[[try row.decode("provider"), try row.decode("subject")]] = ID(try row.decode("account_id"))
        }
        var inTheWay: [ID<Account>: UniqueMember] = [:]
        for account in accounts.map(\.account) {
            let names = account.identities.map { [$0.provider.rawValue, $0.subject] }
            guard names.allSatisfy({ (owners[$0] ?? account.id) == account.id }) else {
                inTheWay[account.id] = .identity
                continue
            }
            for name in names { owners[name] = account.id }
        }
        return inTheWay
    }
}

/// The IDs, addresses and numbers that accounts in the database have.
private struct TakenNames {
    private var names: [String: Set<String>] = [:]

    init(_ rows: [Row]) throws {
        for row in rows { names[try row.decode("member"), default: []].insert(try row.decode("name")) }
    }

    func member(of account: Account) -> UniqueMember? {
        if names["id"]?.contains(account.id.rawValue) == true { return .id }
        if let email = account.email, names["email"]?.contains(email.rawValue) == true { return .email }
        if let phoneNumber = account.phoneNumber, names["phone_number"]?.contains(phoneNumber) == true {
            return .phoneNumber
        }
        return nil
    }
}
