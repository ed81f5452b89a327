internal import Encoding
internal import Identity

/// An update of a project's configuration. See ``ConfigurationMember`` for all other members.
struct ProjectConfigInput: Decodable {
    struct SignIn: Decodable {
        let email: EmailAddress?
        let anonymous: Anonymous?
        let phoneNumber: PhoneNumber?
        let allowDuplicateEmails: Bool?
    }

    struct EmailAddress: Decodable {
        let enabled: Bool?
        let passwordRequired: Bool?
    }

    struct Anonymous: Decodable {
        let enabled: Bool?
    }

    struct PhoneNumber: Decodable {
        let enabled: Bool?
        let testPhoneNumbers: [ByteText: String]?
    }

    struct LoginServicesRule: Decodable {
        let requiresAppleOnEveryPlatform: Bool?
    }

    let signIn: SignIn?
    let client: ClientConfig?
    let autodeleteAnonymousUsers: Bool?
    let emailPrivacyConfig: EmailPrivacyConfig?
    let passwordPolicyConfig: PasswordPolicyInput?
    let loginServicesConfig: LoginServicesRule?
    let authorizedDomains: [String]?
    let notification: NotificationInput?
    let mfa: MFAConfigInput?
    /// An extension.
    let passkeys: PasskeyConfigInput?
    let smsRegionConfig: SMSRegionConfigInput?
    let sms: SMSConfigInput?
    let blockingFunctions: BlockingFunctionsInput?
    /// An extension.
    let brand: BrandInput?
    /// An extension.
    let texts: [CustomTextConfig]?

    /// Sets the members that `mask` covers and the input has. If the request has no mask, all other members get their
    /// defaults, except `authorizedDomains`, `loginServicesConfig`, `passkeys`, `sms`, `brand` and `texts`, which
    /// Firebase's clients do not know.
    ///
    /// - Parameters:
    ///   - defaults: the policy with the defaults; see ``Project/defaultPolicy``.
    ///   - images: the images of the project that ``brand`` names.
    /// - Throws: ``RequestRefusal``.
    func apply(
        to realm: inout Realm, maskedBy mask: FieldMask, defaults: Policy, images: [BrandImage],
        allowingLoopback: Bool
    ) throws {
        if mask.coversAllFields {
            realm.policy.resetMembersOfProjectConfig(to: defaults)
            realm.project.emailSettings.resetMembersOfProjectConfig()
            (realm.project.sms.regions, realm.project.sms.testNumbers) = (.none, [:])
        }
        for flag in flags where mask.contains(flag.path) {
            if let value = flag.value { realm.policy[keyPath: flag.member] = value }
        }
        let initial = mask.coversAllFields ? defaults : realm.policy
        realm.policy.emailSignIn = emailSignIn(replacing: initial.emailSignIn, maskedBy: mask)
        if mask.contains("autodeleteAnonymousUsers") {
            realm.policy.deletesUnusedAnonymousAccounts =
                autodeleteAnonymousUsers ?? initial.deletesUnusedAnonymousAccounts
        }
        try passwordPolicyConfig?.apply(to: &realm.policy.passwordPolicy, maskedBy: mask)
        try notification?.apply(to: &realm.project.emailSettings, maskedBy: mask)
        try mfa?.apply(to: &realm.policy.secondFactors, maskedBy: mask, at: "mfa")
        passkeys?.apply(to: &realm.project.passkeys, maskedBy: mask)
        try smsRegionConfig?.apply(to: &realm.project.sms, maskedBy: mask)
        try sms?.apply(to: &realm.project.sms, maskedBy: mask)
        if mask.contains("signIn.phoneNumber.testPhoneNumbers"), let numbers = signIn?.phoneNumber?.testPhoneNumbers {
            realm.project.sms.testNumbers = numbers
        }
        // Firebase's clients that send no mask do not know the member.
        if !mask.coversAllFields || blockingFunctions != nil, mask.touches("blockingFunctions") {
            let none = BlockingFunctionsInput(triggers: nil, forwardInboundCredentials: nil)
            try (blockingFunctions ?? none).apply(
                to: &realm.project.blockingFunctions, maskedBy: mask, allowingLoopback: allowingLoopback)
        }
        try brand?.apply(to: &realm.project.brand, maskedBy: mask, images: images, keepingAbsent: !mask.coversAllFields)
        try texts?.apply(to: &realm.project.texts, maskedBy: mask)
        if mask.contains("authorizedDomains"), let authorizedDomains {
            realm.project.authorizedDomains = try Self.checked(authorizedDomains)
        }
    }

    private struct Flag {
        let path: String
        let value: Bool?
        let member: WritableKeyPath<Policy, Bool>
    }

    private var flags: [Flag] {
        [
            Flag(path: "signIn.anonymous.enabled", value: signIn?.anonymous?.enabled, member: \.allowsAnonymous),
            Flag(
                path: "signIn.phoneNumber.enabled", value: signIn?.phoneNumber?.enabled, member: \.allowsPhoneNumbers),
            Flag(
                path: "signIn.allowDuplicateEmails", value: signIn?.allowDuplicateEmails,
                member: \.allowsDuplicateEmails),
            Flag(
                path: "client.permissions.disabledUserSignup", value: client?.allowsSignUp, member: \.allowsSignUp),
            Flag(
                path: "client.permissions.disabledUserDeletion", value: client?.allowsDeletion,
                member: \.allowsDeletion),
            Flag(
                path: "emailPrivacyConfig.enableImprovedEmailPrivacy",
                value: emailPrivacyConfig?.enableImprovedEmailPrivacy, member: \.emailEnumerationProtection),
            Flag(
                path: "loginServicesConfig.requiresAppleOnEveryPlatform",
                value: loginServicesConfig?.requiresAppleOnEveryPlatform, member: \.requiresAppleOnEveryPlatform),
        ]
    }

    private func emailSignIn(replacing old: EmailSignIn, maskedBy mask: FieldMask) -> EmailSignIn {
        var new = old
        if mask.contains("signIn.email.enabled"), let isEnabled = signIn?.email?.enabled { new.isEnabled = isEnabled }
        if mask.contains("signIn.email.passwordRequired"), let isRequired = signIn?.email?.passwordRequired {
            new.isPasswordRequired = isRequired
        }
        return new
    }

    private static func checked(_ domains: [String]) throws(RequestRefusal) -> [String] {
        guard domains.count <= Project.domainLimit else {
            throw .invalidField("/authorizedDomains", "must not have more than \(Project.domainLimit) items")
        }
        for (index, domain) in domains.enumerated() where !Project.isHostName(domain) {
            throw .invalidField("/authorizedDomains/\(index)", "must be a host name, without scheme, port or path")
        }
        return domains.map { $0.lowercased() }
    }
}

/// How users sign in with an email address, in Firebase's terms.
struct EmailSignIn: Equatable {
    /// Whether users can sign in with a password or an email link.
    var isEnabled: Bool
    /// Whether users cannot sign in with an email link.
    var isPasswordRequired: Bool
}

extension Policy {
    /// If a new value differs, passwords are allowed exactly if ``EmailSignIn/isEnabled``. An equal value changes
    /// nothing: Firebase has no term for a project with email links and without passwords.
    var emailSignIn: EmailSignIn {
        get { EmailSignIn(isEnabled: allowsPasswords || allowsEmailLinks, isPasswordRequired: !allowsEmailLinks) }
        set {
            guard newValue != emailSignIn else { return }
            allowsPasswords = newValue.isEnabled
            allowsEmailLinks = newValue.isEnabled && !newValue.isPasswordRequired
        }
    }

    /// Resets the members that ``ProjectConfigInput`` has, except those that have no exact term in Firebase:
    /// ``emailSignIn`` and ``deletesUnusedAnonymousAccounts``.
    fileprivate mutating func resetMembersOfProjectConfig(to base: Policy) {
        allowsAnonymous = base.allowsAnonymous
        allowsPhoneNumbers = base.allowsPhoneNumbers
        allowsSignUp = base.allowsSignUp
        allowsDeletion = base.allowsDeletion
        allowsDuplicateEmails = base.allowsDuplicateEmails
        emailEnumerationProtection = base.emailEnumerationProtection
        passwordPolicy = base.passwordPolicy
        secondFactors = base.secondFactors
    }
}
