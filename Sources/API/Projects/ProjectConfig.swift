internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    static let getProjectConfig = administrator(
        "getProjectConfig", .get, "/v2/projects/{project}/config", needs: .readConfig
    ) { _, administrator in try .json(ProjectConfig(administrator.realm, for: administrator)) }

    static let updateProjectConfig = administrator(
        "updateProjectConfig", .patch, "/v2/projects/{project}/config", needs: .config
    ) { call, administrator in
        let (input, mask) = (try call.decodedBody(as: ProjectConfigInput.self), call.updateMask)
        let unimplemented = try call.requireImplemented(.ofProject, maskedBy: mask, for: administrator.realm)
        let images = try await call.images(of: input.brand, for: administrator)
        let configuration = try await call.editConfiguration(as: administrator) {
            // The stored project in `$0` lacks the rules of the mode.
            let defaults = administrator.realm.project.modeRules.defaultPolicy ?? $0.realm.project.defaultPolicy
            let deletedGuests = $0.realm.policy.deletesUnusedAnonymousAccounts
            try input.apply(
                to: &$0.realm, maskedBy: mask, defaults: defaults, images: images,
                allowingLoopback: call.services.projects.allowsLoopbackCallbacks)
            if mask.contains("sms.secret"), let secret = input.sms?.secret { $0.setSMS(Secret(secret)) }
            // The janitor deletes accounts as soon as this is on.
            if $0.realm.policy.deletesUnusedAnonymousAccounts, !deletedGuests {
                try administrator.require(.writeUsers)
            }
        }
        return try .json(
            ProjectConfig(
                configuration.realm, for: administrator, warnings: unimplemented + (configuration.warningTexts ?? [])))
    }
}

/// The configuration of a project, in the shape of Identity Platform's `Config`.
private struct ProjectConfig: Encodable {
    struct SignIn: Encodable {
        struct EmailAddress: Encodable {
            let enabled: Bool
            let passwordRequired: Bool
        }

        struct Anonymous: Encodable {
            let enabled: Bool
        }

        struct PhoneNumber: Encodable {
            let enabled: Bool
            let testPhoneNumbers: [ByteText: String]?
        }

        let email: EmailAddress
        let anonymous: Anonymous
        let phoneNumber: PhoneNumber
        let allowDuplicateEmails: Bool
    }

    struct MultiTenant: Encodable {
        let allowTenants = true
    }

    /// The project's rule about App Review guideline 4.8 (login services).
    struct LoginServicesRule: Encodable {
        let requiresAppleOnEveryPlatform: Bool
    }

    let name: String
    let signIn: SignIn
    let client: ClientConfig
    let autodeleteAnonymousUsers: Bool
    let emailPrivacyConfig: EmailPrivacyConfig
    let passwordPolicyConfig: PasswordPolicyConfig
    let loginServicesConfig: LoginServicesRule
    let authorizedDomains: [String]
    let notification: NotificationConfig
    let mfa: MFAConfig
    let passkeys: PasskeyConfig
    let recaptchaConfig = RecaptchaConfig()
    let multiTenant = MultiTenant()
    let smsRegionConfig: SMSRegionConfig
    let sms: SMSConfig
    let blockingFunctions: BlockingFunctionsConfig
    let brand: BrandConfig
    let texts: [CustomTextConfig]
    let warnings: [String]?

    /// - Parameter administrator: who gets the response. Without the scope `trust`, it has nothing with which to sign
    ///   in or to send messages; see ``Project/abbreviated``.
    init(_ realm: Realm, for administrator: Administrator, warnings: [String] = []) {
        self.warnings = warnings.isEmpty ? nil : warnings
        let policy = realm.policy
        let project = administrator.scopes.allows(.trust) ? realm.project : realm.project.abbreviated
        name = "projects/\(project.number)/config"
        signIn = SignIn(
            email: .init(
                enabled: policy.emailSignIn.isEnabled, passwordRequired: policy.emailSignIn.isPasswordRequired),
            anonymous: .init(enabled: policy.allowsAnonymous),
            phoneNumber: .init(
                enabled: policy.allowsPhoneNumbers,
                testPhoneNumbers: project.sms.testNumbers.isEmpty ? nil : project.sms.testNumbers),
            allowDuplicateEmails: policy.allowsDuplicateEmails)
        client = ClientConfig(allowsSignUp: policy.allowsSignUp, allowsDeletion: policy.allowsDeletion)
        autodeleteAnonymousUsers = policy.deletesUnusedAnonymousAccounts
        emailPrivacyConfig = EmailPrivacyConfig(enableImprovedEmailPrivacy: policy.emailEnumerationProtection)
        passwordPolicyConfig = PasswordPolicyConfig(policy.passwordPolicy)
        loginServicesConfig = LoginServicesRule(requiresAppleOnEveryPlatform: policy.requiresAppleOnEveryPlatform)
        authorizedDomains = realm.project.authorizedDomains
        notification = NotificationConfig(realm.project.emailSettings)
        mfa = MFAConfig(policy.secondFactors)
        passkeys = PasskeyConfig(realm.project.passkeys)
        smsRegionConfig = SMSRegionConfig(realm.project.sms.regions)
        sms = SMSConfig(project.sms)
        blockingFunctions = BlockingFunctionsConfig(project.blockingFunctions)
        brand = BrandConfig(realm.project.brand)
        texts = CustomTextConfig.all(realm.project.texts)
    }
}
