/// The operations of a backend on the accounts of its project. Throws ``AdministrationRefusal`` and
/// ``CredentialRefusal``.
public struct AccountAdministration: Sendable {
    let store: any AdministrationStore
    let passwords: PasswordHasher
    let passwordKeys: PasswordKeys
    let breaches: BreachedPasswords
    let clock: WallClock
    let entropy: Entropy

    public init(
        store: any AdministrationStore, passwords: PasswordHasher, passwordKeys: PasswordKeys,
        breaches: BreachedPasswords,
        clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.passwords = passwords
        self.passwordKeys = passwordKeys
        self.breaches = breaches
        self.clock = clock
        self.entropy = entropy
    }

    /// A requested account. The address, number and password have not been checked.
    public struct Draft: Sendable {
        /// `nil` lets the gateway choose the ID.
        public var id: ID<Account>?
        public var email: String?
        public var emailIsVerified = false
        public var password: Secret?
        public var displayName: String?
        public var photoURL: String?
        public var phoneNumber: String?
        public var isDisabled = false

        public init() {}
    }

    /// Checks in the wire's order: ID, number, address, password.
    public func create(
        _ draft: Draft, in project: Project, from network: ClientNetwork, by actor: AuditActor
    ) async throws -> Account {
        let phoneNumber = draft.phoneNumber.flatMap(PhoneNumber.init)
        let email = draft.email.flatMap(EmailAddress.init)
        let taken = try await store.taken(id: draft.id, email: email, phoneNumber: phoneNumber, in: project.realm)
        try taken.refuse(.id)
        guard draft.phoneNumber == nil || phoneNumber != nil else { throw AdministrationRefusal.invalidPhoneNumber }
        try taken.refuse(.phoneNumber)
        guard draft.email == nil || email != nil else { throw CredentialRefusal.invalidEmail }
        try taken.refuse(.email)
        var hash: String?
        if let password = draft.password {
            try await project.policy.require(password, unknownTo: breaches)
            hash = try await passwords.hash(password, network)
        }
        let now = clock.now()
        let account = Account(
            id: draft.id ?? entropy.accountID(), email: email, emailIsVerified: email != nil && draft.emailIsVerified,
            displayName: draft.displayName, photoURL: draft.photoURL, passwordUpdatedAt: hash == nil ? nil : now,
            phoneNumber: phoneNumber?.rawValue, isDisabled: draft.isDisabled, createdAt: now,
            validSince: Instant(seconds: now.seconds))
        let stored = StoredAccount(account: account, passwordHash: hash)
        try await refusing(\.atAdministration) { try await store.create(stored, by: actor, in: project.realm) }
        return account
    }

    /// - Returns: in the order of `references`, each account once.
    public func find(_ references: [AccountReference], in project: Project) async throws -> [Account] {
        guard !references.isEmpty else { return [] }
        let found = try await store.find(references.map(\.plain), in: project.realm)
        var ids: Set<ID<Account>> = []
        return references.compactMap { reference in found.first(where: reference.names) }
            .filter { ids.insert($0.id).inserted }
    }

    public func delete(_ account: ID<Account>, in project: Project, by actor: AuditActor) async throws {
        try await refusing(\.atAdministration) {
            try await store.delete(account, by: actor, now: clock.now(), in: project.realm)
        }
    }

    /// - Returns: the IDs of accounts that were kept because they are not disabled.
    public func delete(
        _ accounts: [ID<Account>], evenIfEnabled: Bool, in project: Project, by actor: AuditActor
    ) async throws -> Set<ID<Account>> {
        try await store.delete(
            accounts, onlyDisabled: !evenIfEnabled, by: actor, now: clock.now(), in: project.realm)
    }

    /// Lists all accounts in the order of IDs. An account that exists during the whole listing is returned exactly
    /// once.
    public func page(after id: ID<Account>?, limit: Int, in project: Project) async throws -> [Account] {
        try await store.page(after: id, limit: limit, in: project.realm)
    }

    public func count(in project: Project) async throws -> Int {
        try await store.count(in: project.realm)
    }
}

extension AccountReference {
    /// With `password` and `phone` seen as the address and the number they are.
    fileprivate var plain: AccountReference {
        switch self {
        case .identity(.password, let subject): EmailAddress(subject).map { .email($0) } ?? self
        case .identity(.phone, let subject): PhoneNumber(subject).map { .phoneNumber($0) } ?? self
        default: self
        }
    }
}

extension Set<UniqueMember> {
    func refuse(_ member: UniqueMember) throws(AdministrationRefusal) {
        if contains(member) { throw .taken(member) }
    }
}
