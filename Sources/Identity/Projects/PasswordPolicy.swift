/// The rules for passwords: the part of a ``Policy`` that a tenant can replace.
public struct PasswordPolicy: Hashable, Sendable {
    /// The smallest ``minimumLength``, which applies even if the policy is not enforced.
    public static let leastMinimumLength = 6

    public var isEnforced: Bool
    /// See ``Policy/enforcesPasswordRulesAtSignIn``.
    public var isEnforcedAtSignIn: Bool
    /// See ``Policy/minimumPasswordLength``.
    public var minimumLength: Int
    public var requiresLowercase: Bool
    public var requiresUppercase: Bool
    public var requiresDigit: Bool
    public var requiresSymbol: Bool

    /// The rules in `policy`.
    public init(of policy: Policy) {
        isEnforced = policy.enforcesPasswordRules
        isEnforcedAtSignIn = policy.enforcesPasswordRulesAtSignIn
        minimumLength = policy.minimumPasswordLength
        requiresLowercase = policy.requiresLowercase
        requiresUppercase = policy.requiresUppercase
        requiresDigit = policy.requiresDigit
        requiresSymbol = policy.requiresSymbol
    }
}

extension PasswordPolicy {
    /// The rules that apply: if the policy is not enforced, only ``leastMinimumLength``.
    public var effective: PasswordPolicy {
        guard !isEnforced else { return self }
        var effective = self
        effective.minimumLength = Self.leastMinimumLength
        effective.isEnforcedAtSignIn = false
        effective.requiresLowercase = false
        effective.requiresUppercase = false
        effective.requiresDigit = false
        effective.requiresSymbol = false
        return effective
    }

    var requiresCharacterClasses: Bool {
        requiresLowercase || requiresUppercase || requiresDigit || requiresSymbol
    }
}

extension Policy {
    public var passwordPolicy: PasswordPolicy {
        get { PasswordPolicy(of: self) }
        set {
            enforcesPasswordRules = newValue.isEnforced
            enforcesPasswordRulesAtSignIn = newValue.isEnforcedAtSignIn
            minimumPasswordLength = newValue.minimumLength
            requiresLowercase = newValue.requiresLowercase
            requiresUppercase = newValue.requiresUppercase
            requiresDigit = newValue.requiresDigit
            requiresSymbol = newValue.requiresSymbol
        }
    }
}
