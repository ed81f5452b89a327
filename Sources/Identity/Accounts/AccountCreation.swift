extension AccountAdministration {
    /// A requested account. The address, phone number and password have not been checked.
    public struct Draft: Sendable {
        /// `nil` lets the gateway choose the ID.
        public var id: ID<Account>?
        public var email: String?
        public var emailIsVerified = false
        public var password: Secret?
        public var profile = AccountUpdate.Profile()
        public var phoneNumber: String?
        public var isDisabled = false
        public var factors: [Factor] = []

        public init() {}

        /// A telephone number as second factor.
        public struct Factor: Sendable {
            public let phoneNumber: String
            public let displayName: String?

            public init(phoneNumber: String, displayName: String?) {
                self.phoneNumber = phoneNumber
                self.displayName = displayName
            }
        }
    }

    /// Creates an account. Checks in the order of the wire protocol: ID, phone number, address, password, second
    /// factors.
    public func create(
        _ draft: Draft, in realm: Realm, from context: RequestContext, by actor: AuditActor
    ) async throws -> Account {
        let phoneNumber = draft.phoneNumber.flatMap { PhoneNumber(administered: $0, in: realm) }
        let email = draft.email.flatMap(EmailAddress.init)
        let taken = try await store.takenMembers(
            id: draft.id, email: email, phoneNumber: phoneNumber, in: realm.id)
        try taken.requireFree(.id)
        guard draft.phoneNumber == nil || phoneNumber != nil else { throw AdministrationRefusal.invalidPhoneNumber }
        try taken.requireFree(.phoneNumber)
        guard draft.email == nil || email != nil else { throw CredentialRefusal.invalidEmail }
        try taken.requireFree(.email)
        var hash: String?
        if let password = draft.password {
            try await realm.policy.require(password, unknownTo: breaches)
            hash = try await passwords.hash(password, context.hashingClient(in: realm))
        }
        let now = clock.now()
        var account = Account(
            id: draft.id ?? entropy.accountID(), email: email, emailIsVerified: email != nil && draft.emailIsVerified,
            passwordUpdatedAt: hash == nil ? nil : now, phoneNumber: phoneNumber, isDisabled: draft.isDisabled,
            createdAt: now, validSince: Instant(seconds: now.seconds))
        account.phoneAddedAt = phoneNumber == nil ? nil : now
        account.apply(draft.profile)
        let stored = StoredAccount(
            account: account, passwordHash: hash, factors: try factors(of: draft, enrolledAt: now, in: realm))
        try await mappingConflicts(to: \.refusalOfAdministration) {
            try await store.create(
                stored,
                events: [AccountEvent(.accountCreated, of: account.id)]
                    + stored.factors.map { .adding($0.factor.kind, $0.factor.id, to: account.id) },
                recording: realm.recording(by: actor), in: realm.id)
        }
        return account
    }

    /// Returns the second factors of a new account, each number once.
    private func factors(of draft: Draft, enrolledAt now: Instant, in realm: Realm) throws -> [NewFactor] {
        var numbers: Set<PhoneNumber> = []
        let imported = try draft.factors.compactMap { factor -> ImportedFactor? in
            guard let number = PhoneNumber(factor.phoneNumber), number.isDiallable else {
                throw FactorRefusal.invalidNumber
            }
            guard numbers.insert(number).inserted else { return nil }
            return ImportedFactor(id: nil, displayName: factor.displayName, enrolledAt: now, proof: .phone(number))
        }
        guard imported.count <= SecondFactors.limit else { throw FactorRefusal.limitExceeded }
        return try imported.compactMap { try factorSecrets?.sealed($0, in: realm.id) }
    }
}
