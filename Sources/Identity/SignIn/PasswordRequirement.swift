/// A requirement of a project for passwords. The cases are in the order in which failures are reported.
public enum PasswordRequirement: Hashable, Sendable {
    case minimumLength(Int)
    case maximumLength(Int)
    case lowercase
    case uppercase
    case digit
    case symbol
    /// The password was never in a known data breach.
    case notBreached
}

extension Policy {
    /// In bytes of UTF-8. Longer passwords cannot be set.
    public static let maximumPasswordLength = 4096

    /// The accepted symbols: ASCII punctuation, as Firebase's clients check it.
    public static let passwordSymbols = Array(##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##)

    /// The requirements that `password` does not meet, as far as they can be checked locally.
    ///
    /// The minimum length is counted in UTF-16 code units and letters are those of ASCII, because Firebase's own
    /// clients check passwords that way.
    public func requirements(missingIn password: Secret) -> [PasswordRequirement] {
        let policy = passwordPolicy.effective
        let text = password.expose()
        let units = text.utf16
        let symbols = Set(Self.passwordSymbols.flatMap(\.utf16))
        let rules: [(PasswordRequirement, isMet: Bool)] = [
            (.minimumLength(policy.minimumLength), units.count >= policy.minimumLength),
            (.maximumLength(Self.maximumPasswordLength), text.utf8.count <= Self.maximumPasswordLength),
            (.lowercase, !policy.requiresLowercase || units.contains { (0x61...0x7A).contains($0) }),
            (.uppercase, !policy.requiresUppercase || units.contains { (0x41...0x5A).contains($0) }),
            (.digit, !policy.requiresDigit || units.contains { (0x30...0x39).contains($0) }),
            (.symbol, !policy.requiresSymbol || units.contains { symbols.contains($0) }),
        ]
        return rules.filter { !$0.isMet }.map(\.0)
    }

    /// Checks a password before it is set, not when it is used to sign in. Must not be called inside a transaction,
    /// because it may wait for an external server.
    ///
    /// - Throws: ``CredentialRefusal/weakPassword(minimumLength:)`` if the policy requires only a length; otherwise
    ///   ``CredentialRefusal/passwordLacks(_:)`` with all missing requirements. Whether the password was in a breach is
    ///   checked only if no other requirement is missing.
    func require(_ password: Secret, unknownTo breaches: BreachedPasswords) async throws {
        let missing = requirements(missingIn: password)
        let policy = passwordPolicy.effective
        if missing == [.minimumLength(policy.minimumLength)], !policy.requiresCharacterClasses {
            throw CredentialRefusal.weakPassword(minimumLength: policy.minimumLength)
        }
        guard missing.isEmpty else { throw CredentialRefusal.passwordLacks(missing) }
        guard rejectsBreachedPasswords, await breaches.contain(password) else { return }
        throw CredentialRefusal.passwordLacks([.notBreached])
    }

    /// Checks the correct password of a sign-in, if ``enforcesPasswordRulesAtSignIn``. Data breaches are not checked,
    /// because a sign-in does not wait for an external server.
    ///
    /// - Throws: ``CredentialRefusal/passwordLacks(_:)`` with all missing requirements.
    func requireAtSignIn(_ password: Secret) throws(CredentialRefusal) {
        guard passwordPolicy.effective.isEnforcedAtSignIn else { return }
        let missing = requirements(missingIn: password)
        guard missing.isEmpty else { throw .passwordLacks(missing) }
    }
}

extension Policy {
    /// The requirements in the language of the HTML attribute `passwordrules` and of iOS's `UITextInputPasswordRules`.
    /// Without `allowed`, generators would use the required classes only.
    public var passwordRules: String {
        let policy = passwordPolicy.effective
        let classes = [
            ("lower", policy.requiresLowercase), ("upper", policy.requiresUppercase), ("digit", policy.requiresDigit),
            // Not all accepted symbols: a generator needs only some. Brackets are omitted, and the hyphen comes first,
            // because these characters have a special meaning in this language.
            ("[-!#$%&()*+,.:;=?@^_~]", policy.requiresSymbol),
        ].filter(\.1).map { "required: \($0.0)" }
        let all =
            ["minlength: \(policy.minimumLength)", "maxlength: \(Self.maximumPasswordLength)"] + classes
            + ["allowed: ascii-printable"]
        return all.map { $0 + ";" }.joined(separator: " ")
    }
}

extension Policy {
    /// Checks a password that is set together with an address, which `requireFree` looks up.
    ///
    /// With email enumeration protection, the password is checked first: otherwise weak passwords would reveal which
    /// addresses have accounts, without creating any.
    func require(
        _ password: Secret, unknownTo breaches: BreachedPasswords, andAddress requireFree: () async throws -> Void
    ) async throws {
        if !emailEnumerationProtection { try await requireFree() }
        try await require(password, unknownTo: breaches)
        if emailEnumerationProtection { try await requireFree() }
    }
}
