internal import HTTP
internal import Identity

extension Endpoint {
    static let getProjectConfig = administrator(
        "getProjectConfig", .get, "/v2/projects/{project}/config", needs: .config
    ) { _, administrator in try .json(ProjectConfig(administrator.project)) }

    static let updateProjectConfig = administrator(
        "updateProjectConfig", .patch, "/v2/projects/{project}/config", needs: .config
    ) { call, administrator in
        let (input, mask) = (try call.decodedBody(as: ProjectConfigInput.self), call.updateMask)
        let configuration = try await call.editConfiguration(as: administrator) {
            // In `sekisho dev`, the defaults are those of Firebase's emulator. The stored project in `$0` lacks them.
            let defaults = administrator.project.emulatorRules?.defaultPolicy ?? $0.project.defaultPolicy
            try input.apply(to: &$0.project, maskedBy: mask, defaults: defaults)
        }
        return try .json(ProjectConfig(configuration.project, warnings: configuration.warningTexts))
    }
}

/// The configuration of a project, in the shape of Identity Platform's `Config`.
private struct ProjectConfig: Encodable {
    struct SignIn: Encodable {
        struct EmailAddress: Encodable {
            let enabled: Bool
            let passwordRequired = true
        }

        struct Anonymous: Encodable {
            let enabled: Bool
        }

        let email: EmailAddress
        let anonymous: Anonymous
        let allowDuplicateEmails: Bool
    }

    struct EmailPrivacy: Encodable {
        let enableImprovedEmailPrivacy: Bool
    }

    struct PasswordPolicy: Encodable {
        struct Version: Encodable {
            let customStrengthOptions: PasswordStrength
        }

        let passwordPolicyEnforcementState = "ENFORCE"
        let passwordPolicyVersions: [Version]
    }

    /// The project's rule about App Review guideline 4.8 (login services).
    struct LoginServicesRule: Encodable {
        let requiresAppleOnEveryPlatform: Bool
    }

    let name: String
    let signIn: SignIn
    let emailPrivacyConfig: EmailPrivacy
    let passwordPolicyConfig: PasswordPolicy
    let loginServicesConfig: LoginServicesRule
    let authorizedDomains: [String]
    let notification: NotificationConfig
    let warnings: [String]?

    init(_ project: Project, warnings: [String]? = nil) {
        self.warnings = warnings
        let policy = project.policy
        name = "projects/\(project.number)/config"
        signIn = SignIn(
            email: .init(enabled: policy.allowsPasswords), anonymous: .init(enabled: policy.allowsAnonymous),
            allowDuplicateEmails: policy.allowsDuplicateEmails)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: policy.emailEnumerationProtection)
        passwordPolicyConfig = PasswordPolicy(passwordPolicyVersions: [
            .init(customStrengthOptions: PasswordStrength(policy))
        ])
        loginServicesConfig = LoginServicesRule(requiresAppleOnEveryPlatform: policy.requiresAppleOnEveryPlatform)
        authorizedDomains = project.authorizedDomains
        notification = NotificationConfig(project.emailSettings)
    }
}
