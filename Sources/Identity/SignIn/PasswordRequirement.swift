/// What a project asks of a password, in the order in which it is told.
public enum PasswordRequirement: Hashable, Sendable {
    case minimumLength(Int)
    case maximumLength(Int)
    case lowercase
    case uppercase
    case digit
    case symbol
    /// Never seen in a data breach.
    case notBreached
}

extension Policy {
    /// In bytes of UTF-8. Nobody has more than that hashed.
    public static let maximumPasswordLength = 4096

    /// What counts as a symbol: ASCII's punctuation, as Firebase's clients are told to check it.
    public static let passwordSymbols = Array(##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##)

    /// What `password` lacks, as far as can be told without asking anybody.
    ///
    /// Length is counted in UTF-16 code units and letters are those of ASCII, because that is how Firebase's own clients
    /// check a password before they send it.
    public func requirements(missingIn password: Secret) -> [PasswordRequirement] {
        let text = password.expose()
        let units = text.utf16
        let symbols = Set(Self.passwordSymbols.flatMap(\.utf16))
        let rules: [(PasswordRequirement, isMet: Bool)] = [
            (.minimumLength(minimumPasswordLength), units.count >= minimumPasswordLength),
            (.maximumLength(Self.maximumPasswordLength), text.utf8.count <= Self.maximumPasswordLength),
            (.lowercase, !requiresLowercase || units.contains { (0x61...0x7A).contains($0) }),
            (.uppercase, !requiresUppercase || units.contains { (0x41...0x5A).contains($0) }),
            (.digit, !requiresDigit || units.contains { (0x30...0x39).contains($0) }),
            (.symbol, !requiresSymbol || units.contains { symbols.contains($0) }),
        ]
        return rules.filter { !$0.isMet }.map(\.0)
    }

    /// To be asked before a password is set, never where one is shown; and never inside a transaction, for it may wait
    /// for another company's server.
    ///
    /// - Throws: ``CredentialRefusal/weakPassword(minimumLength:)`` where the length is all that is asked for,
    ///   ``CredentialRefusal/passwordLacks(_:)`` with everything that is missing otherwise.
    func require(_ password: Secret, unknownTo breaches: BreachedPasswords) async throws {
        let missing = requirements(missingIn: password)
        if missing == [.minimumLength(minimumPasswordLength)], !asksForClasses {
            throw CredentialRefusal.weakPassword(minimumLength: minimumPasswordLength)
        }
        guard missing.isEmpty else { throw CredentialRefusal.passwordLacks(missing) }
        guard rejectsBreachedPasswords, await breaches.contain(password) else { return }
        throw CredentialRefusal.passwordLacks([.notBreached])
    }

    private var asksForClasses: Bool { requiresLowercase || requiresUppercase || requiresDigit || requiresSymbol }
}

extension Collaborators {
    /// See ``Policy``: for every password that is set.
    func require(_ password: Secret, by policy: Policy) async throws {
        try await policy.require(password, unknownTo: breaches)
    }

    /// For a password that is set together with an address, which `requireFree` looks up.
    ///
    /// Where the project hides who has an account, the password goes first: otherwise weak passwords would tell who has
    /// one without making any.
    func require(
        _ password: Secret, by policy: Policy, andAddress requireFree: () async throws -> Void
    ) async throws {
        if !policy.emailEnumerationProtection { try await requireFree() }
        try await require(password, by: policy)
        if policy.emailEnumerationProtection { try await requireFree() }
    }
}
