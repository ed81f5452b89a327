/// Identity Platform's `PasswordPolicyConfig`. Of its rules there is only the shortest length, and it is always enforced.
struct PasswordPolicyWish: Decodable {
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

    private static let versions = "passwordPolicyConfig.passwordPolicyVersions"
    private static let lengths = 6...64

    let passwordPolicyEnforcementState: State?
    let passwordPolicyVersions: [Version]?
    let forceUpgradeOnSignin: Bool?

    private var strength: Strength? { passwordPolicyVersions?.first?.customStrengthOptions }

    func minimumLength(_ mask: FieldMask) throws(WireError) -> Int? {
        guard mask.names(Self.versions), let length = strength?.minPasswordLength else { return nil }
        guard Self.lengths.contains(length) else {
            throw .invalidField(
                "/passwordPolicyConfig/passwordPolicyVersions/0/customStrengthOptions/minPasswordLength",
                "must be \(Self.lengths.lowerBound) to \(Self.lengths.upperBound)")
        }
        return length
    }

    func requireImplemented(_ mask: FieldMask) throws(WireError) {
        let asked = [
            ("passwordPolicyEnforcementState", passwordPolicyEnforcementState == .off, "OFF"),
            ("forceUpgradeOnSignin", forceUpgradeOnSignin == true, "true"),
        ]
        for (name, isAsked, value) in asked where isAsked && mask.names("passwordPolicyConfig.\(name)") {
            throw .notImplemented("\(name) \(value)")
        }
        guard mask.names(Self.versions) else { return }
        guard (passwordPolicyVersions?.count ?? 0) <= 1 else {
            throw .invalidField("/passwordPolicyConfig/passwordPolicyVersions", "must not have more than 1 item")
        }
        if let name = strength?.unimplemented { throw .notImplemented(name) }
    }
}

extension PasswordPolicyWish.Strength {
    /// The first rule asked for that does not exist.
    fileprivate var unimplemented: String? {
        let asked = [
            ("maxPasswordLength", maxPasswordLength != nil),
            ("containsLowercaseCharacter", containsLowercaseCharacter == true),
            ("containsUppercaseCharacter", containsUppercaseCharacter == true),
            ("containsNumericCharacter", containsNumericCharacter == true),
            ("containsNonAlphanumericCharacter", containsNonAlphanumericCharacter == true),
        ]
        return asked.first { $0.1 }?.0
    }
}
