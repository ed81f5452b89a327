/// The sign-in methods that an app shows, checked against App Review guideline 4.8.
public struct LoginServices: Hashable, Sendable {
    /// The enabled methods that the app offers for sign-in, in the app's order; also `anonymous`, which has no button.
    public let methods: [ProviderID]
    /// The enabled providers whose identities users of the app can only link.
    public let linkOnly: [ProviderID]
    /// Whether users can sign in by an emailed link. It belongs to the method `password`, as in Firebase.
    public let offersEmailLinks: Bool
    /// All violations. The platform decides only which IDs Apple needs.
    public let violations: [LoginServicesViolation]
    /// The offered providers that may be shown only beside Apple, or under an exemption.
    private let needingApple: [ProviderID]
    private let isTolerated: Bool

    public init(of app: App, in project: Project) {
        let enabled = project.enabledMethods
        let settings = app.settings
        linkOnly = app.linkOnlyProviders(in: project)
        methods = (settings.signInMethods?.filter(enabled.contains) ?? enabled)
            .filter { !settings.linkOnlyMethods.contains($0) }
        offersEmailLinks = project.policy.allowsEmailLinks && settings.signInMethods?.contains(.password) != false
        let rules = LoginServicesRules(
            app: app, project: project, methods: methods, offersEmailLinks: offersEmailLinks)
        violations = rules.violations
        needingApple = rules.needingApple
        isTolerated = app.graceEndsAt != nil
    }

    public var isCompliant: Bool { violations.isEmpty }

    /// The methods offered to users. If guideline 4.8 is violated, providers that need Apple are omitted. Otherwise Apple
    /// comes first if a provider needs it.
    public var offered: [ProviderID] {
        guard isCompliant || isTolerated else { return methods.filter { !needingApple.contains($0) } }
        guard !needingApple.isEmpty, methods.contains(.apple) else { return methods }
        return [.apple] + methods.filter { $0 != .apple }
    }

    /// The offered providers beside which guideline 4.8 requires Apple.
    public var thirdParties: [ProviderID] { needingApple }

    /// What a proof of an identity is for.
    public enum Use: Sendable {
        /// To sign in, to authenticate again, or to prove one side of a merge.
        case signIn
        /// To link the identity to the caller's account.
        case link
    }

    /// Throws unless `app` may use an identity of `provider`. Checks the configuration only, not whether the provider is
    /// reachable.
    public static func require(
        _ provider: ProviderID, for app: App, in project: Project, to use: Use
    ) throws(ProviderRefusal) {
        guard let settings = project.settings(of: provider), !app.audiences(of: settings).isEmpty else {
            throw .notConfigured
        }
        guard settings.isEnabled else { throw .disabled }
        let services = LoginServices(of: app, in: project)
        if services.linkOnly.contains(provider) {
            guard use == .link else { throw .linkOnly }
            return
        }
        guard services.methods.contains(provider) else { throw .notForThisApp(nil) }
        if !services.isTolerated, services.needingApple.contains(provider), let violation = services.violations.first {
            throw .notForThisApp(violation)
        }
    }

    /// Throws if `app` lists its sign-in methods without `method`, which is `password` or `anonymous`. This prevents open
    /// sign-up in an app whose accounts belong to an organisation.
    public static func requireSignUp(by method: ProviderID, for app: App) throws(ProviderRefusal) {
        guard app.settings.signInMethods?.contains(method) != false else { throw .notForThisApp(nil) }
    }
}

extension App {
    /// The enabled providers that the app offers only to link.
    func linkOnlyProviders(in project: Project) -> [ProviderID] {
        settings.linkOnlyMethods.filter { project.settings(of: $0)?.isEnabled == true }
    }
}

extension Project {
    /// Apple, Google, the others by name, then the methods without provider.
    fileprivate var enabledMethods: [ProviderID] {
        let providers = providers.filter(\.isEnabled).map(\.provider).sorted { $0.rawValue < $1.rawValue }
        return providers + (policy.allowsPasswords ? [.password] : []) + (policy.allowsAnonymous ? [.anonymous] : [])
    }

    /// The providers that some app offers only to link, and no app offers for sign-in. Their identities do not count as
    /// sign-in methods.
    public var linkOnlyProviders: Set<ProviderID> {
        let candidates = Set(apps.flatMap(\.settings.linkOnlyMethods))
        guard !candidates.isEmpty else { return [] }
        return candidates.subtracting(apps.flatMap { LoginServices(of: $0, in: self).methods })
    }
}

/// The grace period of apps that were stored before a rule about guideline 4.8 was added: they keep working and are
/// reported, so that their operators can repair them.
public enum LoginServicesGrace {
    /// From the first start of a gateway that finds the violation.
    public static let period: Duration = .seconds(90 * 86_400)

    /// When the grace period of the app ends, after a start of the gateway that found it in one of `realms`; `nil` if
    /// the app has no violation. An app gets no second period until it has been compliant.
    public static func end(for app: App, in realms: [Project], startingAt now: Instant) -> Instant? {
        guard realms.contains(where: { !LoginServices(of: app, in: $0).isCompliant }) else { return nil }
        return app.graceEndsAt ?? now + period
    }
}

extension App {
    /// The app as it is at a time: a grace period that has ended does not count.
    public func current(at now: Instant) -> App {
        var app = self
        if let end = graceEndsAt, end <= now { app.graceEndsAt = nil }
        return app
    }
}
