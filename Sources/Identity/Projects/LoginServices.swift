/// What stands against App Review guideline 4.8: whoever shows a social provider shows Apple beside it.
public enum LoginServicesViolation: Hashable, Sendable {
    /// The app shows a social provider and not `apple.com`.
    case appleNotShown
    /// The app shows `apple.com`, but the project has it switched off or not configured.
    case appleNotEnabled
    /// Apple's configuration cannot work: no key, no team, or no client id that this app's tokens could be for.
    case appleCannotWork
    /// An exemption claims that there are no third-party logins, and there are.
    case exemptionContradicted
}

extension LoginServicesViolation: CustomStringConvertible {
    /// The end of a sentence about an app.
    public var description: String {
        switch self {
        case .appleNotShown: "it shows a social provider and not apple.com beside it"
        case .appleNotEnabled: "it shows a social provider while apple.com is not configured and enabled"
        case .appleCannotWork:
            "it shows a social provider while apple.com lacks its team id, key id, private key or a client id for this app"
        case .exemptionContradicted:
            "its exemption ownAccountsOnly is contradicted by the social provider that it shows"
        }
    }
}

/// The ways to sign in that an app shows, held against App Review guideline 4.8.
public struct LoginServices: Hashable, Sendable {
    /// What the app names of what the project has enabled, in the app's order; `anonymous` too, which has no button.
    public let methods: [ProviderID]
    /// All that there are. The platform makes no difference.
    public let violations: [LoginServicesViolation]

    public init(of app: App, in project: Project) {
        let enabled = project.enabledMethods
        methods = app.settings.signInMethods?.filter(enabled.contains) ?? enabled
        guard methods.contains(where: \.isSocial) else {
            violations = []
            return
        }
        violations =
            switch app.settings.exemption?.kind {
            case nil: Self.faultsOfApple(for: app, in: project)
            case .ownAccountsOnly: [.exemptionContradicted] + Self.faultsOfApple(for: app, in: project)
            case .alternativeMarketplace, .organisationAccounts, .governmentIdentity, .thirdPartyClient: []
            }
    }

    public var isCompliant: Bool { violations.isEmpty }

    /// What people are offered: nothing social where guideline 4.8 is broken, and Apple before everything else where
    /// something social is left.
    public var offered: [ProviderID] {
        guard isCompliant else { return methods.filter { !$0.isSocial } }
        guard methods.contains(where: \.isSocial), methods.contains(.apple) else { return methods }
        return [.apple] + methods.filter { $0 != .apple }
    }

    /// Passes if `app` may sign people in with `provider`: by what is configured, whether or not anybody answers.
    public static func require(
        _ provider: ProviderID, for app: App, in project: Project
    ) throws(ProviderRefusal) {
        guard let settings = project.settings(of: provider), !app.audiences(of: settings).isEmpty else {
            throw .notConfigured
        }
        guard settings.isEnabled else { throw .disabled }
        let services = LoginServices(of: app, in: project)
        guard services.methods.contains(provider) else { throw .notForThisApp(nil) }
        if provider.isSocial, let violation = services.violations.first { throw .notForThisApp(violation) }
    }

    private static func faultsOfApple(for app: App, in project: Project) -> [LoginServicesViolation] {
        let isShown = app.settings.signInMethods?.contains(.apple) ?? true
        let unseen: [LoginServicesViolation] = isShown ? [] : [.appleNotShown]
        guard let apple = project.settings(of: .apple), apple.isEnabled else { return unseen + [.appleNotEnabled] }
        return unseen + (apple.canWork(for: app) ? [] : [.appleCannotWork])
    }
}

extension Project {
    /// Apple, Google, then others by name, then what needs no provider.
    fileprivate var enabledMethods: [ProviderID] {
        let providers = providers.filter(\.isEnabled).map(\.provider).sorted { $0.rawValue < $1.rawValue }
        return providers + (policy.allowsPasswords ? [.password] : []) + (policy.allowsAnonymous ? [.anonymous] : [])
    }
}

extension ProviderSettings {
    /// Of Apple: tokens of this app can be for one of the audiences, and codes can be redeemed and revoked.
    fileprivate func canWork(for app: App) -> Bool {
        let audiences = app.audiences(of: self)
        let isNative = app.settings.platform == .ios || app.settings.platform == .macos
        let native = isNative ? app.settings.bundleID : nil
        return apple?.isWhole == true && hasSecret && !audiences.isEmpty && native.map(audiences.contains) != false
    }
}
