/// A violation of App Review guideline 4.8: an app that shows a social provider has to show Apple too.
public struct LoginServicesViolation: Hashable, Sendable {
    /// The raw value is the wire's.
    public enum Kind: String, CaseIterable, Sendable {
        /// The app shows a provider that needs Apple, but not `apple.com`.
        case appleNotShown = "APPLE_NOT_SHOWN"
        /// The app shows `apple.com`, but the project has disabled it or not configured it.
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
    /// The provider that needs Apple, or the method that contradicts the exemption.
    public let provider: ProviderID

    public init(_ kind: Kind, _ provider: ProviderID) {
        self.kind = kind
        self.provider = provider
    }
}

extension LoginServicesViolation: CustomStringConvertible {
    /// The end of a sentence about an app.
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

    /// The description with the name on the wire.
    public var named: String { "\(description) (\(kind.rawValue))" }
}

/// The rules of guideline 4.8 for one app in one realm.
struct LoginServicesRules {
    let app: App
    let project: Project
    /// Offered for sign-in.
    let methods: [ProviderID]
    let offersEmailLinks: Bool

    private var providers: [ProviderID] { methods.filter(\.isProvider) }

    private func relation(_ provider: ProviderID) -> ProviderRelation {
        project.settings(of: provider)?.relation ?? .social
    }

    /// The providers beside which the app must show Apple, unless it has an exemption: all but those that are `own`.
    var needingApple: [ProviderID] { providers.filter { $0 != .apple && relation($0) != .own } }

    /// A contradicted exemption does not count.
    var violations: [LoginServicesViolation] {
        let contradictions = contradictions
        let isExempt = app.settings.exemption != nil && contradictions.isEmpty
        let faults = isExempt || needingApple.isEmpty ? [] : faultsOfApple
        return contradictions.map { LoginServicesViolation(.exemptionContradicted, $0) }
            + needingApple.flatMap { provider in faults.map { LoginServicesViolation($0, provider) } }
    }

    /// The offered methods that the exemption does not cover. Apple is social, so an app that offers Apple claims no
    /// exemption.
    private var contradictions: [ProviderID] {
        switch app.settings.exemption?.kind {
        case nil: []
        case .ownAccountsOnly: providers.filter { relation($0) != .own }
        case .organisationAccounts: providers.filter { relation($0) != .organisation } + openSignUp
        case .governmentIdentity: providers.filter { relation($0) != .government }
        case .alternativeMarketplace:
            providers.filter { relation($0) != .marketplace || app.settings.distribution != .marketplace }
        case .thirdPartyClient: contradictionsOfThirdPartyClient
        }
    }

    /// All providers but one. Google can be that one, although it is `social`.
    private var contradictionsOfThirdPartyClient: [ProviderID] {
        let ordered = providers.filter { $0 != .apple } + providers.filter { $0 == .apple }
        let fitting = ordered.filter { [.social, .thirdPartyService].contains(relation($0)) }
        return ordered.filter { $0 != fitting.first }
    }

    /// The methods by which any user can create an account.
    private var openSignUp: [ProviderID] {
        methods.filter { $0 == .password || $0 == .anonymous } + (offersEmailLinks ? [.emailLink] : [])
    }

    private var faultsOfApple: [LoginServicesViolation.Kind] {
        let settings = app.settings
        let isShown = settings.signInMethods?.contains(.apple) != false && !settings.linkOnlyMethods.contains(.apple)
        let notShown: [LoginServicesViolation.Kind] = isShown ? [] : [.appleNotShown]
        guard let apple = project.settings(of: .apple), apple.isEnabled else { return notShown + [.appleNotEnabled] }
        let audiences = app.audiences(of: apple)
        let isWhole = apple.apple?.isWhole == true && apple.hasSecret && !audiences.isEmpty
        return notShown + (isWhole ? [] : [.appleCannotWork])
            + (audiences.isEmpty || hasID(among: audiences) ? [] : [missingID])
    }

    private var missingID: LoginServicesViolation.Kind {
        app.settings.platform.isApples ? .bundleIDMissing : .servicesIDMissing
    }

    /// Native tokens are issued to a bundle ID, those of web flows to a Services ID.
    private func hasID(among audiences: [String]) -> Bool {
        switch app.settings.platform {
        case .ios, .macos: app.settings.bundleIDs.contains(where: audiences.contains)
        case .web, .android, .windows: audiences.contains { project.isServicesID($0, for: app) }
        case .other: true
        }
    }
}

extension AppSettings.Platform {
    var isApples: Bool { self == .ios || self == .macos }
}

extension Project {
    /// Whether an Apple client ID is a Services ID: each of the others is the bundle ID of an app.
    func isServicesID(_ clientID: String, for app: App) -> Bool {
        !app.settings.bundleIDs.contains(clientID) && !apps.contains { $0.settings.bundleIDs.contains(clientID) }
    }
}
