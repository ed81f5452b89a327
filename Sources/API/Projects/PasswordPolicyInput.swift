internal import Identity

/// Identity Platform's `PasswordPolicyConfig`. The policy always applies to new passwords, and never to existing ones
/// at sign-in.
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
        let maxPasswordLength: Int?
        let containsLowercaseCharacter: Bool?
        let containsUppercaseCharacter: Bool?
        let containsNumericCharacter: Bool?
        let containsNonAlphanumericCharacter: Bool?
    }

    private static let versionsPath = "passwordPolicyConfig.passwordPolicyVersions"
    /// The valid values of `minPasswordLength`.
    private static let minimumLengths = 6...64

    let passwordPolicyEnforcementState: State?
    let passwordPolicyVersions: [Version]?
    let forceUpgradeOnSignin: Bool?

    private var strength: Strength? { passwordPolicyVersions?.first?.customStrengthOptions }

    /// Replaces the requirements for character classes: a class is required only if its member in the input is `true`.
    /// Keeps the minimum length if the input has none.
    func apply(to policy: inout Policy, maskedBy mask: FieldMask) throws(RequestRefusal) {
        guard mask.contains(Self.versionsPath), let strength else { return }
        if let length = strength.minPasswordLength {
            guard Self.minimumLengths.contains(length) else {
                throw .invalidField(
                    "/passwordPolicyConfig/passwordPolicyVersions/0/customStrengthOptions/minPasswordLength",
                    "must be \(Self.minimumLengths.lowerBound) to \(Self.minimumLengths.upperBound)")
            }
            policy.minimumPasswordLength = length
        }
        policy.requiresLowercase = strength.containsLowercaseCharacter == true
        policy.requiresUppercase = strength.containsUppercaseCharacter == true
        policy.requiresDigit = strength.containsNumericCharacter == true
        policy.requiresSymbol = strength.containsNonAlphanumericCharacter == true
    }

    /// Rejects values that this release does not support.
    func requireImplemented(_ mask: FieldMask) throws(RequestRefusal) {
        let unsupported = [
            ("passwordPolicyEnforcementState", passwordPolicyEnforcementState == .off, "OFF"),
            ("forceUpgradeOnSignin", forceUpgradeOnSignin == true, "true"),
        ]
        for (name, isRequested, value) in unsupported where isRequested && mask.contains("passwordPolicyConfig.\(name)")
        {
            throw .notImplemented("\(name) \(value)")
        }
        guard mask.contains(Self.versionsPath) else { return }
        guard (passwordPolicyVersions?.count ?? 0) <= 1 else {
            throw .invalidField("/passwordPolicyConfig/passwordPolicyVersions", "must not have more than 1 item")
        }
        if let maximum = strength?.maxPasswordLength, maximum != Policy.maximumPasswordLength {
            throw .notImplemented("maxPasswordLength other than \(Policy.maximumPasswordLength)")
        }
    }
}
