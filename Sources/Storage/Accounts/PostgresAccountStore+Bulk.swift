internal import Encoding
public import Identity
internal import Postgres

/// Import and export of all accounts of a realm.
extension PostgresAccountStore {
    /// Updates the planner's statistics. An import changes the tables so much that the old statistics mislead the
    /// planner.
    public func gatherStatistics() async throws {
        _ = try await withStoreErrors { try await pool.execute("ANALYZE account, linked_identity") }
    }

    /// Stores the accounts of `batch` in one transaction, each of them completely or not at all. Existing accounts are
    /// not changed.
    ///
    /// - Parameter expectsConflicts: whether some accounts of the batch probably have an ID, address, phone number or
    ///   identity of another account. If `false`, the accounts are first inserted without a search for conflicts. Only
    ///   if this insertion fails, the conflicts are searched for, and the accounts without conflicts are stored.
    /// - Returns: for each account that was not stored, the member that conflicts. If several conflict, the ID takes
    ///   precedence.
    public func add(
        _ batch: ImportBatch, expectsConflicts: Bool, by actor: AuditActor
    ) async throws -> [ID<Account>: UniqueMember] {
        guard !batch.accounts.isEmpty else { return [:] }
        if !expectsConflicts, try await addWithoutConflicts(batch, by: actor) { return [:] }
        return try await retryingConflicts(where: isUniqueValueTaken) { _ in
            try await withStoreErrors {
                try await pool.transaction {
                    try await $0.addSkippingConflicts(batch.accounts, by: actor, now: batch.now, in: batch.realm)
                }
            }
        }
    }

    /// Stores all accounts of `batch`.
    ///
    /// - Returns: `false` if an account has a conflict. In that case, no account is stored.
    private func addWithoutConflicts(_ batch: ImportBatch, by actor: AuditActor) async throws -> Bool {
        do {
            return try await withStoreErrors {
                try await pool.transaction { transaction in
                    let taken = try await transaction.accountsWithTakenPasskeys(among: batch.accounts, in: batch.realm)
                    guard taken.isEmpty else { return false }
                    try await transaction.insert(batch, by: actor)
                    return true
                }
            }
        } catch let error where isUniqueValueTaken(error) {
            return false
        }
    }

    /// Returns at most `limit` accounts after `id` with their password hashes, in the order of IDs.
    public func storedAccounts(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [StoredAccount]
    {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT a.password_hash, \(AccountRow.columns) FROM (
                    SELECT * FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id > \(id?.rawValue ?? "")
                    ORDER BY a.id LIMIT \(limit)) a
                ORDER BY a.id
                """)
        }.map { try AccountRow.storedAccount($0) }
    }
}

/// Accounts of an import, encoded as SQL statements. Encoding takes a quarter as long as storing, so callers should
/// encode a batch while earlier batches are being stored.
public struct ImportBatch: Sendable {
    fileprivate let accounts: [StoredAccount]
    fileprivate let insertion: SQL
    fileprivate let identityInsertion: SQL?
    fileprivate let factorInsertion: SQL?
    fileprivate let passkeyInsertion: SQL?
    fileprivate let now: Instant
    fileprivate let realm: ID<Realm>
    /// The unique values of the accounts: IDs, addresses, phone numbers, subjects, and credential IDs and user handles
    /// of passkeys.
    private let uniqueValues: Set<ByteText>

    /// - Parameter accounts: accounts with distinct IDs.
    public init(_ accounts: [StoredAccount], now: Instant, in realm: ID<Realm>) {
        self.accounts = accounts
        self.now = now
        self.realm = realm
        // Accounts are sorted by `insertionOrder`, and identities by provider and subject. Sign-ins insert their rows
        // in the same order, so an import and a sign-in do not deadlock.
        insertion = .insert(accounts.sorted { $0.insertionOrder < $1.insertionOrder }, in: realm)
        let identities = accounts.flatMap(\.identities)
            .sorted {
                ($0.identity.provider, ByteText($0.identity.subject)) < (
                    $1.identity.provider, ByteText($1.identity.subject)
                )
            }
        identityInsertion = identities.isEmpty ? nil : .insertIdentities(identities, at: now, in: realm)
        factorInsertion = accounts.contains { !$0.factors.isEmpty } ? .insertFactors(of: accounts, in: realm) : nil
        passkeyInsertion =
            accounts.contains { !$0.passkeys.isEmpty } ? .insertPasskeys(of: accounts, in: realm) : nil
        var uniqueValues: Set<ByteText> = []
        uniqueValues.reserveCapacity(3 * accounts.count)
        for stored in accounts {
            let account = stored.account
            uniqueValues.insert(ByteText(account.id.rawValue))
            if let email = account.email { uniqueValues.insert(ByteText(email.rawValue)) }
            if let phoneNumber = account.phoneNumber { uniqueValues.insert(ByteText(phoneNumber.rawValue)) }
            for identity in account.identities { uniqueValues.insert(ByteText(identity.subject)) }
            for new in stored.passkeys {
                uniqueValues.formUnion([ByteText(new.passkey.id.rawValue), ByteText(new.passkey.userHandle)])
            }
        }
        self.uniqueValues = uniqueValues
    }

    /// Whether an account of this batch may conflict with an account of `other`. Batches without such accounts can be
    /// stored at the same time, with the same result as one after the other.
    public func mayConflict(with other: ImportBatch) -> Bool { !uniqueValues.isDisjoint(with: other.uniqueValues) }
}

extension Transaction {
    fileprivate func insert(_ batch: ImportBatch, by actor: AuditActor) async throws {
        _ = try await execute(batch.insertion)
        if let insertion = batch.identityInsertion { _ = try await execute(insertion) }
        if let insertion = batch.factorInsertion { _ = try await execute(insertion) }
        if let insertion = batch.passkeyInsertion { _ = try await execute(insertion) }
        try await audit(
            [.imported(batch.accounts.map(\.account.id), in: batch.realm)], by: actor, at: batch.now, in: batch.realm)
    }

    /// Stores the accounts that have no conflict.
    ///
    /// - Returns: for each account that was not stored, the member that conflicts.
    fileprivate func addSkippingConflicts(
        _ accounts: [StoredAccount], by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        var conflicting = try await accountsWithTakenIdentities(among: accounts, in: realm)
        let takenPasskeys = try await accountsWithTakenPasskeys(among: accounts, in: realm)
        conflicting.merge(takenPasskeys) { first, _ in first }
        let candidates = accounts.filter { conflicting[$0.account.id] == nil }
        let inserted = Set(
            try await query(.insertSkippingConflicts(candidates, in: realm)).map { ID<Account>(try $0.decode("id")) })
        let stored = candidates.filter { inserted.contains($0.account.id) }
        let identities = stored.flatMap(\.identities)
        if !identities.isEmpty { _ = try await execute(.insertIdentities(identities, at: now, in: realm)) }
        if stored.contains(where: { !$0.factors.isEmpty }) {
            _ = try await execute(.insertFactors(of: stored, in: realm))
        }
        if stored.contains(where: { !$0.passkeys.isEmpty }) {
            _ = try await execute(.insertPasskeys(of: stored, in: realm))
        }
        if !stored.isEmpty {
            try await audit([.imported(stored.map(\.account.id), in: realm)], by: actor, at: now, in: realm)
        }
        let rejected = accounts.map(\.account).filter { !inserted.contains($0.id) }
        guard !rejected.isEmpty else { return [:] }
        let taken = try TakenMembers(try await query(.takenMembers(of: rejected, in: realm)))
        for account in rejected {
            // If no conflict is found now, the conflicting account was deleted in the meantime. The ID is reported
            // then.
            conflicting[account.id] = taken.member(of: account) ?? conflicting[account.id] ?? .id
        }
        return conflicting
    }

    /// Finds those of `accounts` with an identity that belongs to an account with another ID, either a stored account
    /// or an earlier one of `accounts`.
    private func accountsWithTakenIdentities(
        among accounts: [StoredAccount], in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember] {
        let identities = accounts.flatMap(\.account.identities)
        guard !identities.isEmpty else { return [:] }
        var owners: [[String]: ID<Account>] = [:]
        for row in try await query(.owners(of: identities, in: realm)) {
            owners[[try row.decode("provider"), try row.decode("subject")]] = ID(try row.decode("account_id"))
        }
        var conflicting: [ID<Account>: UniqueMember] = [:]
        for account in accounts.map(\.account) {
            let keys = account.identities.map { [$0.provider.rawValue, $0.subject] }
            guard keys.allSatisfy({ (owners[$0] ?? account.id) == account.id }) else {
                conflicting[account.id] = .identity
                continue
            }
            for key in keys { owners[key] = account.id }
        }
        return conflicting
    }
}

/// The IDs, email addresses and phone numbers of an import that stored accounts already have.
private struct TakenMembers {
    private var values: [String: Set<String>] = [:]

    init(_ rows: [Row]) throws {
        for row in rows { values[try row.decode("member"), default: []].insert(try row.decode("value")) }
    }

    /// - Returns: the member of `account` that a stored account has; `nil` if there is none.
    func member(of account: Account) -> UniqueMember? {
        if values["id"]?.contains(account.id.rawValue) == true { return .id }
        if let email = account.email, values["email"]?.contains(email.rawValue) == true { return .email }
        if let phoneNumber = account.phoneNumber, values["phone_number"]?.contains(phoneNumber.rawValue) == true {
            return .phoneNumber
        }
        return nil
    }
}
