internal import Identity

/// Identity Platform's `EmailPrivacyConfig`. In an update, absent members do not change.
struct EmailPrivacyConfig: Codable {
    let enableImprovedEmailPrivacy: Bool?
}

/// Identity Platform's `ClientConfig`: what clients may do without an administrator. In an update, absent members do
/// not change.
struct ClientConfig: Codable {
    struct Permissions: Codable {
        let disabledUserSignup: Bool?
        let disabledUserDeletion: Bool?
    }

    let permissions: Permissions?

    init(allowsSignUp: Bool?, allowsDeletion: Bool?) {
        permissions = Permissions(
            disabledUserSignup: allowsSignUp.map { !$0 }, disabledUserDeletion: allowsDeletion.map { !$0 })
    }
}

extension ClientConfig {
    var allowsSignUp: Bool? { permissions?.disabledUserSignup.map { !$0 } }
    var allowsDeletion: Bool? { permissions?.disabledUserDeletion.map { !$0 } }
}

/// Identity Platform's `RecaptchaConfig` in a response. Always off.
struct RecaptchaConfig: Encodable {
    let emailPasswordEnforcementState = "OFF"
    let phoneEnforcementState = "OFF"
}
