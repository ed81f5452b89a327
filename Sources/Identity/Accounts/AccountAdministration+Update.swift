extension AccountAdministration {
    /// A requested update. The address, number and password have not been checked.
    public struct Input: Sendable {
        /// All members except address, number and password.
        public var change: AdministrativeChange
        public var email: String?
        public var phoneNumber: String?
        public var password: Secret?

        public init() {
            change = AdministrativeChange()
        }
    }

    /// Checks in the wire's order: account, address, password, number.
    public func update(
        _ id: ID<Account>, _ input: Input, in project: Project, from network: ClientNetwork, by actor: AuditActor
    ) async throws -> Account {
        guard let account = try await store.find([.id(id)], in: project.realm).first else {
            throw AdministrationRefusal.accountUnknown
        }
        var change = input.change
        let email = try input.email.map { text throws(CredentialRefusal) in try EmailAddress(presented: text) }
        let phoneNumber = input.phoneNumber.flatMap(PhoneNumber.init)
        let taken = try await store.taken(
            id: nil, email: email == account.email ? nil : email,
            phoneNumber: phoneNumber?.rawValue == account.phoneNumber ? nil : phoneNumber, in: project.realm)
        try taken.refuse(.email)
        if let email { change.update.email = .set(email) }
        if let password = input.password { try await project.policy.require(password, unknownTo: breaches) }
        guard input.phoneNumber == nil || phoneNumber != nil else { throw AdministrationRefusal.invalidPhoneNumber }
        try taken.refuse(.phoneNumber)
        if let phoneNumber { change.update.phoneNumber = .set(phoneNumber.rawValue) }
        if let password = input.password {
            change.update.passwordHash = .set(try await passwords.hash(password, network))
        }
        let checked = change
        return try await refusing(\.atAdministration) {
            try await store.change(id, by: checked, of: actor, at: clock.now(), in: project.realm)
        }
    }
}
