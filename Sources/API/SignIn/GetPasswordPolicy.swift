internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the rules by which Firebase's clients check a password before they send it.
    static let getPasswordPolicy = client("getPasswordPolicy", .get, "/v2/passwordPolicy") { _, client in
        try .json(GetPasswordPolicyResponse(client.realm.policy))
    }
}

private struct GetPasswordPolicyResponse: Encodable {
    let customStrengthOptions: PasswordStrength
    let allowedNonAlphanumericCharacters = Policy.passwordSymbols.map(String.init)
    /// The rules in the format of the password generators of Apple's platforms.
    let passwordRules: String
    let enforcementState: String
    let forceUpgradeOnSignin: Bool
    let schemaVersion = 1

    init(_ policy: Policy) {
        let passwords = policy.passwordPolicy
        enforcementState = passwords.enforcementState
        forceUpgradeOnSignin = passwords.effective.isEnforcedAtSignIn
        // The rules that apply. Firebase's SDKs check them even if they are not enforced.
        var strength = PasswordStrength(passwords.effective)
        strength.maxPasswordLength = Policy.maximumPasswordLength
        customStrengthOptions = strength
        passwordRules = policy.passwordRules
    }
}

/// Firebase's `CustomStrengthOptions`. Rules that do not apply are left out.
struct PasswordStrength: Encodable {
    let minPasswordLength: Int
    var maxPasswordLength: Int?
    let containsLowercaseCharacter: Bool?
    let containsUppercaseCharacter: Bool?
    let containsNumericCharacter: Bool?
    let containsNonAlphanumericCharacter: Bool?

    init(_ policy: PasswordPolicy) {
        minPasswordLength = policy.minimumLength
        containsLowercaseCharacter = policy.requiresLowercase ? true : nil
        containsUppercaseCharacter = policy.requiresUppercase ? true : nil
        containsNumericCharacter = policy.requiresDigit ? true : nil
        containsNonAlphanumericCharacter = policy.requiresSymbol ? true : nil
    }
}

extension PasswordPolicy {
    /// The value of `passwordPolicyEnforcementState`.
    var enforcementState: String { isEnforced ? "ENFORCE" : "OFF" }
}
