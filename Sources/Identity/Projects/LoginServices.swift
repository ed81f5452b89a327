/// The sign-in methods that an app shows, checked against App Review guideline 4.8.
public struct LoginServices: Hashable, Sendable {
    /// The enabled methods that the app lists for sign-in, in the app's order; all enabled methods if the app has no
    /// list. May include `anonymous`, which has no button.
    public let methods: [ProviderID]
    /// The enabled providers whose identities users of the app can only link.
    public let linkOnly: [ProviderID]
    /// Whether users can sign in by an emailed link. It belongs to the method `password`, as in Firebase.
    public let offersEmailLinks: Bool
    private let app: App
    private let realm: Realm

    public init(of app: App, in realm: Realm) {
        self.app = app
        self.realm = realm
        let enabled = realm.enabledMethods
        let settings = app.settings
        linkOnly = app.linkOnlyProviders(in: realm)
        methods = (settings.signInMethods?.filter(enabled.contains) ?? enabled)
            .filter { !settings.linkOnlyMethods.contains($0) }
        offersEmailLinks = realm.policy.allowsEmailLinks && settings.signInMethods?.contains(.password) != false
    }

    /// Whether the app has a grace period. The caller must have removed an ended one with
    /// ``App/withoutEndedGracePeriod(at:)``.
    private var isInGracePeriod: Bool { app.graceEndsAt != nil }

    public var isCompliant: Bool { violations.isEmpty }

    /// The methods offered to users. If guideline 4.8 is violated and there is no grace period, ``thirdParties`` are
    /// omitted. Otherwise, if there are third parties, Apple comes first.
    public var offered: [ProviderID] {
        guard isCompliant || isInGracePeriod else { return methods.filter { !thirdParties.contains($0) } }
        guard !thirdParties.isEmpty, methods.contains(.apple) else { return methods }
        return [.apple] + methods.filter { $0 != .apple }
    }

    /// The purpose of a proof of an identity.
    public enum Purpose: Sendable {
        /// To sign in, to authenticate again, or to prove one side of a merge.
        case signIn
        /// To link the identity to the caller's account.
        case link
    }

    /// Throws unless `app` may use identities of `provider` for `purpose`. Checks the configuration only, not
    /// whether the provider is reachable.
    public static func require(
        _ provider: ProviderID, for app: App, in realm: Realm, to purpose: Purpose
    ) throws(ProviderRefusal) {
        guard let settings = realm.settings(of: provider), !app.audiences(of: settings).isEmpty else {
            throw .notConfigured
        }
        guard settings.isEnabled else { throw .disabled }
        let services = LoginServices(of: app, in: realm)
        if services.linkOnly.contains(provider) {
            guard purpose == .link else { throw .linkOnly }
            return
        }
        guard services.methods.contains(provider) else { throw .notForThisApp(violation: nil) }
        if !services.isInGracePeriod, services.thirdParties.contains(provider),
            let violation = services.violations.first
        {
            throw .notForThisApp(violation: violation)
        }
    }

    /// Throws if `app` is exempt from guideline 4.8 as the client of one service. Its users have to sign in with that
    /// service, so neither a password nor a custom token is accepted: behind a custom token is a login that the gateway
    /// does not know.
    public static func requireNotClientOfOneService(_ app: App) throws(ProviderRefusal) {
        guard app.settings.exemption?.kind != .thirdPartyClient || app.graceEndsAt != nil else {
            throw .notForThisApp(violation: nil)
        }
    }

    /// Throws if `app` has a list of sign-in methods without `method`, which is `password` or `anonymous`. For example,
    /// an app whose accounts belong to an organisation lists neither of them, to prevent open sign-up.
    public static func requireListed(_ method: ProviderID, for app: App) throws(ProviderRefusal) {
        guard app.settings.signInMethods?.contains(method) != false else { throw .notForThisApp(violation: nil) }
    }
}

extension App {
    /// The enabled providers that the app offers only to link.
    func linkOnlyProviders(in realm: Realm) -> [ProviderID] {
        settings.linkOnlyMethods.filter { realm.settings(of: $0)?.isEnabled == true }
    }
}

extension Realm {
    /// The providers by ID, then the methods without provider.
    fileprivate var enabledMethods: [ProviderID] {
        let providers = providers.filter(\.isEnabled).map(\.provider).sorted { $0.rawValue < $1.rawValue }
        return providers + (policy.allowsPasswords ? [.password] : []) + (policy.allowsPhoneNumbers ? [.phone] : [])
            + (policy.allowsAnonymous ? [.anonymous] : [])
    }

    /// The providers that some app offers only to link, and no app offers for sign-in. Their identities do not count as
    /// sign-in methods.
    public var linkOnlyProviders: Set<ProviderID> {
        let candidates = Set(project.apps.flatMap(\.settings.linkOnlyMethods))
        guard !candidates.isEmpty else { return [] }
        return candidates.subtracting(project.apps.flatMap { LoginServices(of: $0, in: self).methods })
    }
}

/// The grace period of apps that were stored before a rule about guideline 4.8 was added. During the grace period these
/// apps keep working and are reported, so that their operators can correct the configuration.
public enum LoginServicesGrace {
    /// The length of the grace period, which begins when a starting gateway finds the violation.
    public static let period: Duration = .seconds(90 * 86_400)

    /// Returns the end of the app's grace period when a gateway starts at `now`; `nil` if the app has no violation in
    /// any of `realms`. An end that is already set does not change, even if it has passed: the app gets another grace
    /// period only after it has been compliant.
    public static func end(for app: App, in realms: [Realm], startingAt now: Instant) -> Instant? {
        guard realms.contains(where: { !LoginServices(of: app, in: $0).isCompliant }) else { return nil }
        return app.graceEndsAt ?? now + period
    }
}

extension App {
    /// Returns the app, without its grace period if that has ended by `now`.
    public func withoutEndedGracePeriod(at now: Instant) -> App {
        var app = self
        if let end = graceEndsAt, end <= now { app.graceEndsAt = nil }
        return app
    }
}

/// A violation of App Review guideline 4.8: an app that shows a social provider has to show Apple too.
public struct LoginServicesViolation: Hashable, Sendable {
    /// The raw value is the wire's.
    public enum Kind: String, CaseIterable, Sendable {
        /// The app shows ``provider``, but not `apple.com`.
        case appleNotShown = "APPLE_NOT_SHOWN"
        /// The project has disabled `apple.com` or not configured it.
        case appleNotEnabled = "APPLE_NOT_ENABLED"
        /// Apple's configuration is incomplete: no key, no team, or no client ID for the tokens of this app.
        case appleCannotWork = "APPLE_CANNOT_WORK"
        /// On Apple's platforms, no bundle ID of the app is among Apple's client IDs.
        case bundleIDMissing = "APPLE_BUNDLE_ID_MISSING"
        /// On other platforms, no Services ID is among Apple's client IDs.
        case servicesIDMissing = "APPLE_SERVICES_ID_MISSING"
        /// The app offers a method that its exemption does not cover.
        case exemptionContradicted = "EXEMPTION_CONTRADICTED"
    }

    public let kind: Kind
    /// The provider because of which the app has to show Apple, or the method that the exemption does not cover.
    public let provider: ProviderID
    /// Whether ``Policy/requiresAppleOnEveryPlatform`` is the reason for the violation: the app is not for Apple's
    /// platforms.
    public let isDueToPolicy: Bool

    public init(_ kind: Kind, _ provider: ProviderID, isDueToPolicy: Bool = false) {
        self.kind = kind
        self.provider = provider
        self.isDueToPolicy = isDueToPolicy
    }

    /// How an operator declares the login of an organisation that uses a tenant.
    public static let organisationAdvice =
        "for the login of the organisation that uses the tenant, set the provider's relation to organisation, and give the organisation an app with the exemption organisationAccounts and only this provider in signInMethods"
    /// How an operator can limit the rule if the violation ``isDueToPolicy``.
    public static let policyAdvice =
        "to apply this rule only to apps for Apple's platforms, set the policy requiresAppleOnEveryPlatform to false"
}

extension LoginServicesViolation: CustomStringConvertible {
    /// A clause that follows the name of an app.
    public var description: String {
        let name = provider.rawValue
        return switch kind {
        case .appleNotShown: "it shows \(name) but not apple.com"
        case .appleNotEnabled: "it shows \(name) while apple.com is not configured and enabled"
        case .appleCannotWork:
            "it shows \(name) while apple.com lacks a team ID, key ID, private key or client ID for this app"
        case .bundleIDMissing:
            "it shows \(name) while none of its bundle IDs is among apple.com's client IDs for this app"
        case .servicesIDMissing:
            "it shows \(name) while apple.com has no Services ID for it (a client ID that is not an app's bundle ID)"
        case .exemptionContradicted: "its exemption does not cover \(name)"
        }
    }

    /// The description, followed by the wire's name of ``kind``.
    public var descriptionWithKind: String { "\(description) (\(kind.rawValue))" }
}

/// The rules of guideline 4.8 for one app in one realm.
extension LoginServices {
    /// The methods whose users have accounts at another service. The guideline applies only to these.
    private var providers: [ProviderID] { methods.filter { realm.project.supportedProviders[$0] != nil } }

    private func relation(_ provider: ProviderID) -> ProviderRelation {
        realm.settings(of: provider).map(realm.relation(of:)) ?? .social
    }

    /// The offered providers that require the app to show Apple, unless the app has an exemption: all except Apple and
    /// the login of the app's own company (``ProviderRelation/own``).
    public var thirdParties: [ProviderID] { providers.filter { $0 != .apple && relation($0) != .own } }

    /// All violations. The platform of the app determines which kind of client ID Apple's configuration must have, and
    /// whether the policy can limit the rule.
    /// An exemption has no effect if it does not cover every method, or if its reason is invalid.
    public var violations: [LoginServicesViolation] {
        let contradictions = contradictions
        let isExempt = app.settings.exemption?.reason.isValid == true && contradictions.isEmpty
        let kinds = isExempt || isBeyondRule || thirdParties.isEmpty ? [] : appleViolations
        return contradictions.map { LoginServicesViolation(.exemptionContradicted, $0) }
            + thirdParties.flatMap { provider in
                kinds.map { LoginServicesViolation($0, provider, isDueToPolicy: !app.isForApplePlatform) }
            }
    }

    /// Whether the policy limits the rule to apps for Apple's platforms, and the app is not one of them.
    public var isBeyondRule: Bool { !realm.policy.requiresAppleOnEveryPlatform && !app.isForApplePlatform }

    /// The offered methods that the exemption does not cover. Apple's relation is `social`, so no exemption except
    /// `thirdPartyClient` ever covers Apple.
    private var contradictions: [ProviderID] {
        switch app.settings.exemption?.kind {
        case nil: []
        case .ownAccountsOnly: providers.filter { relation($0) != .own }
        case .organisationAccounts: providers.filter { relation($0) != .organisation } + openSignUpMethods
        case .governmentIdentity: providers.filter { relation($0) != .government }
        case .alternativeMarketplace:
            providers.filter { relation($0) != .marketplace || app.settings.distribution != .marketplace }
        case .thirdPartyClient: providersBesideService + openSignUpMethods
        }
    }

    /// All offered providers except the one third-party service whose client the app is. That service is the first
    /// provider whose relation is `social` or `thirdPartyService`; Apple counts as the last provider.
    private var providersBesideService: [ProviderID] {
        let ordered = providers.filter { $0 != .apple } + providers.filter { $0 == .apple }
        let candidates = ordered.filter { [.social, .thirdPartyService].contains(relation($0)) }
        return ordered.filter { $0 != candidates.first }
    }

    /// The methods by which any user can create an account.
    private var openSignUpMethods: [ProviderID] {
        methods.filter { $0 == .password || $0 == .anonymous } + (offersEmailLinks ? [.emailLink] : [])
    }

    private var appleViolations: [LoginServicesViolation.Kind] {
        let settings = app.settings
        let isShown = settings.signInMethods?.contains(.apple) != false && !settings.linkOnlyMethods.contains(.apple)
        let notShown: [LoginServicesViolation.Kind] = isShown ? [] : [.appleNotShown]
        guard let apple = realm.settings(of: .apple), apple.isEnabled else { return notShown + [.appleNotEnabled] }
        let audiences = app.audiences(of: apple)
        let isComplete = apple.apple?.isComplete == true && apple.hasSecret && !audiences.isEmpty
        return notShown + (isComplete ? [] : [.appleCannotWork])
            + (audiences.isEmpty || realm.appleClientID(for: app, among: audiences) != nil
                ? [] : [missingIDViolation])
    }

    private var missingIDViolation: LoginServicesViolation.Kind {
        app.settings.platform.isApplePlatform ? .bundleIDMissing : .servicesIDMissing
    }
}

extension AppSettings.Platform {
    var isApplePlatform: Bool {
        switch self {
        case .ios, .macos, .tvos, .watchos, .visionos: true
        case .android, .windows, .web, .other: false
        }
    }
}

extension App {
    /// Whether the app is, or could be, an app for Apple's platforms: its platform is one of them or not declared, or
    /// it has a bundle ID, or it is distributed for Apple's devices.
    var isForApplePlatform: Bool {
        settings.platform.isApplePlatform || settings.platform == .other || !settings.bundleIDs.isEmpty
            || [.appStore, .marketplace].contains(settings.distribution)
    }
}

extension Realm {
    /// Whether an Apple client ID is a Services ID: it is not the bundle ID of any app of the project.
    func isServicesID(_ clientID: String, for app: App) -> Bool {
        !app.settings.bundleIDs.contains(clientID)
            && !project.apps.contains { $0.settings.bundleIDs.contains(clientID) }
    }

    /// Returns the first of `audiences` that fits the platform of the app: native tokens are issued to a bundle ID,
    /// tokens of web flows to a Services ID.
    func appleClientID(for app: App, among audiences: [String]) -> String? {
        switch app.settings.platform {
        case .ios, .macos, .tvos, .watchos, .visionos: app.settings.bundleIDs.first(where: audiences.contains)
        case .web, .android, .windows: audiences.first { isServicesID($0, for: app) }
        case .other: audiences.first
        }
    }
}
