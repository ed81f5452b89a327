internal import Encoding

/// The operations of a backend on the accounts of its project. Throws ``AdministrationRefusal`` and
/// ``CredentialRefusal``, and the errors of the store and of ``PasswordHasher``.
public struct AccountAdministration: Sendable {
    let store: any AccountStore
    let passwords: PasswordHasher
    /// The secret keys of imported password hashes.
    let passwordKeys: PasswordKeys
    let breaches: BreachedPasswords
    /// `nil` for commands that send no notices.
    let emailFactory: EmailFactory?
    /// `nil` for commands. An import from a file encrypts its second factors itself.
    let factorSecrets: FactorSecrets?
    let clock: WallClock
    let entropy: Entropy

    public init(
        store: any AccountStore, passwords: PasswordHasher, passwordKeys: PasswordKeys,
        breaches: BreachedPasswords, emailFactory: EmailFactory? = nil, factorSecrets: FactorSecrets? = nil,
        clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.passwords = passwords
        self.passwordKeys = passwordKeys
        self.breaches = breaches
        self.emailFactory = emailFactory
        self.factorSecrets = factorSecrets
        self.clock = clock
        self.entropy = entropy
    }

    /// How far the clock of a backend that sets `validSince` may be ahead.
    private static let clockTolerance: Duration = .seconds(60)

    /// Whether `validSince` is in the future; see ``AdministrationRefusal/futureValidSince``.
    public static func isFuture(validSince: Instant?, at now: Instant) -> Bool {
        validSince.map { $0 > now + clockTolerance } ?? false
    }

    /// A requested update. The address, phone number and password have not been checked.
    public struct Input: Sendable {
        /// All members except the address, phone number and password.
        public var change = AdministrativeChange()
        public var email: String?
        public var phoneNumber: String?
        public var password: Secret?

        public init() {}

        /// Whether the scope `users.support` is sufficient: the update only disables or enables the account, or ends
        /// its sessions.
        public var isSupport: Bool {
            var support = AdministrativeChange()
            support.update.isDisabled = change.update.isDisabled
            support.update.validSince = change.update.validSince
            support.onlyRaisesValidSince = change.onlyRaisesValidSince
            return change == support && email == nil && phoneNumber == nil && password == nil
        }
    }

    /// Updates an account. Checks in the order of the wire protocol: account, address, password, phone number.
    public func update(
        _ id: ID<Account>, _ input: Input, in realm: Realm, from context: RequestContext, by actor: AuditActor
    ) async throws -> Account {
        var change = input.change
        let email = input.email.flatMap(EmailAddress.init)
        let phoneNumber = input.phoneNumber.flatMap { PhoneNumber(administered: $0, in: realm) }
        let taken = try await store.takenMembers(id: id, email: email, phoneNumber: phoneNumber, in: realm.id)
        // The ID of every existing account is taken.
        guard taken.contains(.id) else { throw AdministrationRefusal.accountUnknown }
        guard !Self.isFuture(validSince: change.update.validSince, at: clock.now()) else {
            throw AdministrationRefusal.futureValidSince
        }
        guard input.email == nil || email != nil else { throw CredentialRefusal.invalidEmail }
        try taken.requireFree(.email)
        if let email { change.update.email = .set(email) }
        if let password = input.password { try await realm.policy.require(password, unknownTo: breaches) }
        guard input.phoneNumber == nil || phoneNumber != nil else { throw AdministrationRefusal.invalidPhoneNumber }
        try taken.requireFree(.phoneNumber)
        if let phoneNumber {
            // Temporary proofs of an earlier holder are older than this time.
            (change.update.phoneNumber, change.update.phoneAddedAt) = (.set(phoneNumber), .set(clock.now()))
        }
        if let password = input.password {
            change.update.passwordHash = .set(try await passwords.hash(password, context.hashingClient(in: realm)))
        }
        if let kept = change.keptFactors {
            change.emailBatch = try await notice(ofKeeping: kept, for: id, in: realm, from: context)
        }
        if !change.removedPasskeys.isEmpty {
            change.emailBatch =
                change.emailBatch
                + (try await notice(ofRemoving: change.removedPasskeys, from: id, in: realm, from: context))
        }
        let checked = change
        return try await mappingConflicts(to: \.refusalOfAdministration) {
            try await store.change(
                id, by: checked, recording: realm.recording(by: actor), at: clock.now(), in: realm.id)
        }
    }

    /// Returns the notice that passkeys were removed; none if the account has none of `passkeys`.
    private func notice(
        ofRemoving passkeys: Set<ID<Passkey>>, from id: ID<Account>, in realm: Realm, from context: RequestContext
    ) async throws -> EmailBatch {
        guard let account = try await store.find([.id(id)], in: realm.id).first else {
            throw AdministrationRefusal.accountUnknown
        }
        guard let emailFactory, account.passkeys.contains(where: { passkeys.contains($0.id) }) else { return .none }
        return EmailBatch(
            emails: try emailFactory.notice(
                .identityUnlinked, about: account, EmailPayload(provider: .passkey), by: realm.policy, from: context,
                at: clock.now()))
    }

    /// Returns the notice that second factors were removed or replaced; none if nothing changes.
    ///
    /// - Throws: ``FactorRefusal`` unless the account has each of `kept`, once.
    private func notice(
        ofKeeping kept: [KeptFactor], for id: ID<Account>, in realm: Realm, from context: RequestContext
    ) async throws -> EmailBatch {
        guard let account = try await store.find([.id(id)], in: realm.id).first else {
            throw AdministrationRefusal.accountUnknown
        }
        guard Set(kept.map(\.id)).count == kept.count else { throw FactorRefusal.duplicateID }
        guard kept.count <= SecondFactors.limit else { throw FactorRefusal.limitExceeded }
        for factor in kept {
            let kind: Factor.Kind = factor.phoneNumber == nil ? .totp : .phone
            switch account.secondFactors.factor(factor.id)?.kind {
            case nil: guard kind == .phone else { throw FactorRefusal.factorUnknown }
            case let enrolled?: guard enrolled == kind else { throw FactorRefusal.factorUnknown }
            }
        }
        let ids = Set(kept.map(\.id))
        let isUnchanged = account.secondFactors.factors.allSatisfy { enrolled in
            ids.contains(enrolled.id)
                && kept.contains { $0.id == enrolled.id && $0.phoneNumber == enrolled.phoneNumber }
        }
        guard let emailFactory, !isUnchanged || kept.count > account.secondFactors.factors.count else { return .none }
        return EmailBatch(
            emails: try emailFactory.notice(
                .factorsReset, about: account, by: realm.policy, from: context, at: clock.now()))
    }

    /// - Returns: the accounts in the order of `references`, each account once.
    public func find(_ references: [AccountReference], in realm: Realm) async throws -> [Account] {
        guard !references.isEmpty else { return [] }
        let found = try await store.find(references.map(\.normalized), in: realm.id)
        var seen: Set<ID<Account>> = []
        return references.compactMap { reference in found.first(where: reference.identifies) }
            .filter { seen.insert($0.id).inserted }
    }

    public func delete(_ account: ID<Account>, in realm: Realm, by actor: AuditActor) async throws {
        try await mappingConflicts(to: \.refusalOfAdministration) {
            try await store.delete(account, by: deletion(in: realm, by: actor), in: realm.id)
        }
    }

    /// - Returns: the IDs of accounts that were kept because they are not disabled; none unless `onlyDisabled`.
    public func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, in realm: Realm, by actor: AuditActor
    ) async throws -> Set<ID<Account>> {
        try await store.delete(
            accounts, onlyDisabled: onlyDisabled, by: deletion(in: realm, by: actor), in: realm.id)
    }

    private func deletion(in realm: Realm, by actor: AuditActor) -> AccountDeletion {
        AccountDeletion(at: clock.now(), recording: realm.recording(by: actor))
    }

    /// Returns the accounts that follow `id`, in the order of IDs. A client that lists all pages gets each account
    /// exactly once if the account exists from the first page to the last.
    public func page(after id: ID<Account>?, limit: Int, in realm: Realm) async throws -> [Account] {
        try await store.page(after: id, limit: limit, in: realm.id)
    }

    public func count(in realm: Realm) async throws -> Int {
        try await store.count(in: realm.id)
    }
}

extension AccountReference {
    /// Replaces an identity of `password` or `phone` with the email address or phone number that is its subject.
    fileprivate var normalized: AccountReference {
        switch self {
        case .identity(.password, let subject): EmailAddress(subject.rawValue).map { .email($0) } ?? self
        case .identity(.phone, let subject): PhoneNumber(subject.rawValue).map { .phoneNumber($0) } ?? self
        default: self
        }
    }
}

extension Set<UniqueMember> {
    /// Throws if the set, which lists the members whose requested values are taken, contains `member`.
    func requireFree(_ member: UniqueMember) throws(AdministrationRefusal) {
        if contains(member) { throw .taken(member) }
    }
}

/// An administrator's change of an account, applied in one transaction.
public struct AdministrativeChange: Hashable, Sendable {
    /// The store ignores ``AccountUpdate/endsSessions``: ``AccountUpdate/endsSessions(of:)`` decides whether sessions
    /// end.
    public var update = AccountUpdate()
    /// The providers whose identities are unlinked.
    public var unlinked: Set<ProviderID> = []
    /// An identity to link. It replaces the identity that the account has with the same provider. If the account has
    /// this identity already, and ``unlinked`` does not contain its provider, only the address, the name and the photo
    /// of the identity are replaced.
    public var linked: LinkedIdentity?
    /// The second factors that the account keeps; all others are removed. With the last factor, the recovery codes go.
    /// `nil` changes nothing.
    public var keptFactors: [KeptFactor]?
    /// The passkeys that are removed, with the sessions that were opened with them. Passkeys that the account does not
    /// have are ignored.
    public var removedPasskeys: Set<ID<Passkey>> = []
    /// Whether an earlier time of ``AccountUpdate/validSince`` than the account has is not stored. The sessions end in
    /// any case.
    public var onlyRaisesValidSince = false
    public internal(set) var emailBatch = EmailBatch.none

    public init() {}

    /// Whether `account` has second factors after the change. Such an account gets no number as first factor.
    public func leavesFactors(to account: Account) -> Bool {
        keptFactors.map { !$0.isEmpty } ?? !account.secondFactors.isEmpty
    }

    /// Whether an administrator may lose the roles: the account is disabled, keeps no authenticator app, or loses
    /// passkeys.
    public var mayEndAdministration: Bool {
        update.isDisabled == true || !removedPasskeys.isEmpty
            || keptFactors.map { $0.allSatisfy { $0.phoneNumber != nil } } ?? false
    }
}

extension AdministrativeChange {
    /// Whether the change leaves `account` without a verified address, because it removes or replaces the address, or
    /// withdraws the verification. The user who then proves the mailbox reclaims the account, without its factors.
    public func leavesAddressUnproven(of account: Account) -> Bool {
        let address = update.email.map(\.content) ?? account.email
        let isSame = address == account.email
        guard !isSame || update.emailIsVerified == false else { return false }
        return address == nil || !(update.emailIsVerified ?? false)
    }

    /// The events of the change, except those about identities that it unlinks and factors that it removes.
    ///
    /// - Parameter replacesProfile: whether the account already had the identity to link, so that only the address, the
    ///   name and the photo of the identity were replaced.
    public func events(of account: ID<Account>, replacesProfile: Bool) -> [AccountEvent] {
        let fields =
            update.fields + (replacesProfile ? ["linkProviderUserInfo"] : []) + (keptFactors == nil ? [] : ["mfa"])
        var changes: [AccountEvent.Change] = fields.isEmpty ? [] : [.accountUpdated(fields: fields)]
        if let isDisabled = update.isDisabled { changes.append(isDisabled ? .accountDisabled : .accountEnabled) }
        if let linked, !replacesProfile { changes.append(.identityLinked(linked.provider)) }
        return changes.map { AccountEvent($0, of: account) }
    }
}

/// A second factor that an administrator lets an account keep, or a telephone number that the administrator enrols.
public struct KeptFactor: Hashable, Sendable {
    public let id: ID<Factor>
    /// `nil` for a one-time password.
    public let phoneNumber: PhoneNumber?
    /// `nil` keeps the name.
    public let displayName: String?

    public init(id: ID<Factor>, phoneNumber: PhoneNumber? = nil, displayName: String?) {
        self.id = id
        self.phoneNumber = phoneNumber
        self.displayName = displayName
    }
}

extension StoreConflict {
    var refusalOfAdministration: (any Refusal)? {
        switch self {
        case .taken(let member): AdministrationRefusal.taken(member)
        case .notFound: AdministrationRefusal.accountUnknown
        case .stale, .alreadyUsed, .lastSignInMethod: nil
        }
    }
}
