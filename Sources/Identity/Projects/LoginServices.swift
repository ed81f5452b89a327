/// A violation of App Review guideline 4.8: an app that shows a social provider has to show Apple too.
public enum LoginServicesViolation: Hashable, Sendable {
    /// The app shows a social provider, but not `apple.com`.
    case appleNotShown
    /// The app shows `apple.com`, but the project has disabled it or not configured it.
    case appleNotEnabled
    /// Apple's configuration is incomplete: no key, no team, or no client ID for the tokens of this app.
    case appleCannotWork
    /// The exemption claims that there are no third-party logins, but there are.
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

/// The sign-in methods that an app shows, checked against App Review guideline 4.8.
public struct LoginServices: Hashable, Sendable {
    /// The enabled methods that the app lists, in the app's order; also `anonymous`, which has no button.
    public let methods: [ProviderID]
    /// All violations. The platform makes no difference.
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

    /// The methods offered to users: no social provider if guideline 4.8 is violated, and Apple first if there is a
    /// social provider.
    public var offered: [ProviderID] {
        guard isCompliant else { return methods.filter { !$0.isSocial } }
        guard methods.contains(where: \.isSocial), methods.contains(.apple) else { return methods }
        return [.apple] + methods.filter { $0 != .apple }
    }

    /// Throws unless `app` may sign users in with `provider`. Checks the configuration only, not whether the provider
    /// is reachable.
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
    /// Apple, Google, the others by name, then the methods without provider.
    fileprivate var enabledMethods: [ProviderID] {
        let providers = providers.filter(\.isEnabled).map(\.provider).sorted { $0.rawValue < $1.rawValue }
        return providers + (policy.allowsPasswords ? [.password] : []) + (policy.allowsAnonymous ? [.anonymous] : [])
    }
}

extension ProviderSettings {
    /// For Apple: tokens of this app can have one of the audiences, and codes can be redeemed and revoked.
    fileprivate func canWork(for app: App) -> Bool {
        let audiences = app.audiences(of: self)
        let isNative = app.settings.platform == .ios || app.settings.platform == .macos
        let native = isNative ? app.settings.bundleID : nil
        return apple?.isWhole == true && hasSecret && !audiences.isEmpty && native.map(audiences.contains) != false
    }
}
