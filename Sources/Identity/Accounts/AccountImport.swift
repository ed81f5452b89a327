extension AccountAdministration {
    /// A checked account of another system, ready to be imported.
    public struct Import: Sendable {
        public var account: Account
        public var password: Secret?
        /// A hash that the other system computed, as ``StoredPasswordScheme/stored(hash:salt:)`` returns it. It takes
        /// precedence over ``password``.
        public var passwordHash: String?
        public var factors: [ImportedFactor]

        public init(
            account: Account, password: Secret? = nil, passwordHash: String? = nil, factors: [ImportedFactor] = []
        ) {
            self.account = account
            self.password = password
            self.passwordHash = passwordHash
            self.factors = factors
        }
    }

    /// A second factor of another system.
    public struct ImportedFactor: Sendable {
        public enum Proof: Sendable {
            case totp(secret: [UInt8])
            case phone(PhoneNumber)
        }

        /// `nil` for a new ID.
        public let id: ID<Factor>?
        public let displayName: String?
        public let enrolledAt: Instant
        public let proof: Proof

        public init(id: ID<Factor>?, displayName: String?, enrolledAt: Instant, proof: Proof) {
            self.id = id
            self.displayName = displayName
            self.enrolledAt = enrolledAt
            self.proof = proof
        }
    }

    /// Stores the secret key of a hashing scheme. Later sign-ins need the key to check passwords.
    public func storeKey(of scheme: PasswordScheme, in realm: Realm) async throws -> StoredPasswordScheme {
        guard let key = scheme.key else { return StoredPasswordScheme(scheme, key: nil) }
        return StoredPasswordScheme(scheme, key: try await passwordKeys.store(key, realm.id))
    }

    /// The current time: the creation time of an imported account that states none.
    public var now: Instant { clock.now() }

    /// Imports accounts. Hashes their passwords one after the other, so that an import occupies only one slot in the
    /// hashing queue. Then stores all accounts at once.
    ///
    /// - Parameter imports: if several have the same ID, the last one is used; if several have the same address, phone
    ///   number or identity, the first one.
    /// - Returns: for each account that was not stored because of a conflict, the member that conflicts.
    public func importAccounts(
        _ imports: [Import], overwrite: ImportOverwrite, in realm: Realm, from context: RequestContext,
        by actor: AuditActor
    ) async throws -> [ID<Account>: UniqueMember] {
        var (accepted, refused) = Self.partition(imports)
        for index in accepted.indices {
            guard accepted[index].hash == nil, let password = accepted[index].password else { continue }
            accepted[index].hash = try await passwords.hash(password, context.hashingClient(in: realm))
        }
        let now = clock.now()
        let accounts = try accepted.map { entry in
            var account = entry.account
            account.passwordUpdatedAt = entry.hash == nil ? nil : now
            return StoredAccount(
                account: account, passwordHash: entry.hash,
                factors: try entry.factors.compactMap { try factorSecrets?.sealed($0, in: realm.id) })
        }
        guard !accounts.isEmpty else { return refused }
        let conflicts = try await store.store(
            accounts, overwrite: overwrite, recording: realm.recording(by: actor), now: now, in: realm.id)
        refused.merge(conflicts) { first, _ in first }
        return refused
    }

    private struct Entry {
        let account: Account
        let password: Secret?
        let factors: [ImportedFactor]
        var hash: String?
    }

    /// Returns the accounts that can be stored together, and for each conflicting account, the member that conflicts.
    /// Omits accounts that are followed by one with the same ID.
    private static func partition(_ imports: [Import]) -> ([Entry], [ID<Account>: UniqueMember]) {
        let lastIndices = Dictionary(imports.enumerated().map { ($1.account.id, $0) }) { max($0, $1) }
        var accepted: [Entry] = []
        var refused: [ID<Account>: UniqueMember] = [:]
        var seen: Set<AccountReference> = []
        for (index, candidate) in imports.enumerated() where lastIndices[candidate.account.id] == index {
            let identifiers = candidate.account.uniqueIdentifiers
            if let duplicate = identifiers.first(where: { seen.contains($0.reference) }) {
                refused[candidate.account.id] = duplicate.member
                continue
            }
            seen.formUnion(identifiers.map(\.reference))
            accepted.append(
                Entry(
                    account: candidate.account, password: candidate.password, factors: candidate.factors,
                    hash: candidate.passwordHash))
        }
        return (accepted, refused)
    }
}

extension FactorSecrets {
    /// Encrypts the secret of an imported second factor, if it has one.
    public func sealed(_ imported: AccountAdministration.ImportedFactor, in realm: ID<Realm>) throws -> NewFactor {
        let id = imported.id ?? newID()
        switch imported.proof {
        case .totp(let secret):
            let factor = Factor(
                id: id, kind: .totp, displayName: imported.displayName, enrolledAt: imported.enrolledAt)
            return NewFactor(NewTOTP(factor: factor, sealedSecret: try seal(secret, id, realm), lastStep: 0))
        case .phone(let number):
            return NewFactor(
                phone: Factor(
                    id: id, kind: .phone, phoneNumber: number, displayName: imported.displayName,
                    enrolledAt: imported.enrolledAt))
        }
    }
}

extension AccountEvent {
    /// The events about the accounts that an import has replaced. The accounts that it has created have no events.
    public static func importing(replacing accounts: [ID<Account>]) -> [AccountEvent] {
        accounts.map { AccountEvent(.accountReplacedByImport, of: $0) }
    }
}
