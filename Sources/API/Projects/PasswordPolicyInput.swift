internal import Identity

/// Identity Platform's `PasswordPolicyConfig`.
struct PasswordPolicyInput: Decodable {
    enum State: String, WireEnum {
        case unspecified = "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED"
        case off = "OFF"
        case enforce = "ENFORCE"
    }

    struct Version: Decodable {
        let customStrengthOptions: Strength?
    }

    struct Strength: Decodable {
        let minPasswordLength: Int?
        let containsLowercaseCharacter: Bool?
        let containsUppercaseCharacter: Bool?
        let containsNumericCharacter: Bool?
        let containsNonAlphanumericCharacter: Bool?
    }

    private static let versionsPath = "passwordPolicyConfig.passwordPolicyVersions"
    /// The valid values of `minPasswordLength`.
    private static let minimumLengths = PasswordPolicy.leastMinimumLength...64

    let passwordPolicyEnforcementState: State?
    let passwordPolicyVersions: [Version]?
    let forceUpgradeOnSignin: Bool?

    /// Whether the input sets a rule.
    var hasRules: Bool {
        ![nil, .unspecified].contains(passwordPolicyEnforcementState) || forceUpgradeOnSignin != nil
            || passwordPolicyVersions?.contains { $0.customStrengthOptions != nil } == true
    }

    /// Replaces the requirements for character classes: a class is required only if its member in the input is `true`.
    /// Keeps the minimum length if the input has none.
    func apply(to policy: inout PasswordPolicy, maskedBy mask: FieldMask) throws(RequestRefusal) {
        if mask.contains("passwordPolicyConfig.passwordPolicyEnforcementState") {
            switch passwordPolicyEnforcementState {
            case .off: policy.isEnforced = false
            case .enforce: policy.isEnforced = true
            case .unspecified, nil: break
            }
        }
        if mask.contains("passwordPolicyConfig.forceUpgradeOnSignin"), let forceUpgradeOnSignin {
            policy.isEnforcedAtSignIn = forceUpgradeOnSignin
        }
        guard mask.contains(Self.versionsPath), let versions = passwordPolicyVersions else { return }
        guard versions.count <= 1 else {
            throw .invalidField("/passwordPolicyConfig/passwordPolicyVersions", "must not have more than 1 item")
        }
        guard let strength = versions.first?.customStrengthOptions else { return }
        if let length = strength.minPasswordLength {
            guard Self.minimumLengths.contains(length) else {
                throw .invalidField(
                    "/passwordPolicyConfig/passwordPolicyVersions/0/customStrengthOptions/minPasswordLength",
                    "must be \(Self.minimumLengths.lowerBound) to \(Self.minimumLengths.upperBound)")
            }
            policy.minimumLength = length
        }
        policy.requiresLowercase = strength.containsLowercaseCharacter == true
        policy.requiresUppercase = strength.containsUppercaseCharacter == true
        policy.requiresDigit = strength.containsNumericCharacter == true
        policy.requiresSymbol = strength.containsNonAlphanumericCharacter == true
    }
}

/// Identity Platform's `PasswordPolicyConfig` in a response.
struct PasswordPolicyConfig: Encodable {
    struct Version: Encodable {
        let customStrengthOptions: PasswordStrength
    }

    let passwordPolicyEnforcementState: String
    let forceUpgradeOnSignin: Bool
    let passwordPolicyVersions: [Version]

    init(_ policy: PasswordPolicy) {
        passwordPolicyEnforcementState = policy.enforcementState
        forceUpgradeOnSignin = policy.isEnforcedAtSignIn
        passwordPolicyVersions = [Version(customStrengthOptions: PasswordStrength(policy))]
    }
}
