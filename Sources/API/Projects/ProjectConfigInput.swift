internal import Identity

/// An update of a project's configuration. Unknown members are ignored.
struct ProjectConfigInput: Decodable {
    struct SignIn: Decodable {
        let email: EmailAddress?
        let anonymous: Anonymous?
        let allowDuplicateEmails: Bool?
    }

    struct EmailAddress: Decodable {
        let enabled: Bool?
        let passwordRequired: Bool?
    }

    struct Anonymous: Decodable {
        let enabled: Bool?
    }

    struct EmailPrivacy: Decodable {
        let enableImprovedEmailPrivacy: Bool?
    }

    struct LoginServicesRule: Decodable {
        let requiresAppleOnEveryPlatform: Bool?
    }

    let signIn: SignIn?
    let emailPrivacyConfig: EmailPrivacy?
    let passwordPolicyConfig: PasswordPolicyInput?
    let loginServicesConfig: LoginServicesRule?
    let authorizedDomains: [String]?
    let notification: NotificationInput?

    /// Sets the members that `mask` covers and the input has. If the request has no mask, all other members get their
    /// defaults, except `authorizedDomains` and `loginServicesConfig`, which Firebase's clients do not know.
    ///
    /// - Parameter defaults: the policy with the defaults; see ``Project/defaultPolicy``.
    /// - Throws: ``RequestRefusal``.
    func apply(
        to project: inout Project, maskedBy mask: FieldMask, defaults: Policy
    ) throws(RequestRefusal) {
        try requireImplemented(mask)
        if mask.coversAllFields {
            project.policy.resetMembersOfProjectConfig(to: defaults)
            project.emailSettings.resetMembersOfProjectConfig()
        }
        for flag in flags where mask.contains(flag.path) {
            if let value = flag.value { project.policy[keyPath: flag.member] = value }
        }
        try passwordPolicyConfig?.apply(to: &project.policy, maskedBy: mask)
        try notification?.apply(to: &project.emailSettings, maskedBy: mask)
        if mask.contains("authorizedDomains"), let authorizedDomains {
            project.authorizedDomains = try Self.checked(authorizedDomains)
        }
    }

    private struct Flag {
        let path: String
        let value: Bool?
        let member: WritableKeyPath<Policy, Bool>
    }

    private var flags: [Flag] {
        [
            Flag(path: "signIn.email.enabled", value: signIn?.email?.enabled, member: \.allowsPasswords),
            Flag(path: "signIn.anonymous.enabled", value: signIn?.anonymous?.enabled, member: \.allowsAnonymous),
            Flag(
                path: "signIn.allowDuplicateEmails", value: signIn?.allowDuplicateEmails,
                member: \.allowsDuplicateEmails),
            Flag(
                path: "emailPrivacyConfig.enableImprovedEmailPrivacy",
                value: emailPrivacyConfig?.enableImprovedEmailPrivacy, member: \.emailEnumerationProtection),
            Flag(
                path: "loginServicesConfig.requiresAppleOnEveryPlatform",
                value: loginServicesConfig?.requiresAppleOnEveryPlatform, member: \.requiresAppleOnEveryPlatform),
        ]
    }

    /// Rejects values that this release does not support.
    private func requireImplemented(_ mask: FieldMask) throws(RequestRefusal) {
        if mask.contains("signIn.email.passwordRequired"), signIn?.email?.passwordRequired == false {
            throw .notImplemented("passwordRequired false")
        }
        try passwordPolicyConfig?.requireImplemented(mask)
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

extension Policy {
    /// Resets the members that ``ProjectConfigInput`` has.
    fileprivate mutating func resetMembersOfProjectConfig(to base: Policy) {
        allowsPasswords = base.allowsPasswords
        allowsAnonymous = base.allowsAnonymous
        allowsDuplicateEmails = base.allowsDuplicateEmails
        emailEnumerationProtection = base.emailEnumerationProtection
        minimumPasswordLength = base.minimumPasswordLength
        requiresLowercase = base.requiresLowercase
        requiresUppercase = base.requiresUppercase
        requiresDigit = base.requiresDigit
        requiresSymbol = base.requiresSymbol
    }
}
