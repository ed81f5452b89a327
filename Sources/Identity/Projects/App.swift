/// One client of a project. An API key identifies the app, and thereby the project, of a request.
public struct App: Hashable, Sendable {
    public let id: ID<App>
    public var settings: AppSettings

    public init(id: ID<App>, settings: AppSettings = AppSettings()) {
        self.id = id
        self.settings = settings
    }

    /// The allowed audiences of this provider's tokens if this app sends them.
    public func audiences(of provider: ProviderSettings) -> [String] {
        settings.clientIDs[provider.provider.rawValue] ?? provider.clientIDs
    }
}

/// The declared properties of an app. They determine which sign-in methods the app may show.
public struct AppSettings: Hashable, Sendable {
    public enum Platform: String, CaseIterable, Codable, Sendable {
        case ios
        case macos
        case android
        case web
        case other
    }

    /// The distribution channel of the app.
    public enum Distribution: String, CaseIterable, Codable, Sendable {
        case appStore
        /// An alternative marketplace for Apple's devices.
        case marketplace
        case playStore
        case enterprise
        case web
        case other
    }

    public var platform: Platform
    public var distribution: Distribution
    /// On Apple's platforms: the bundle ID, which is the audience of native Apple tokens.
    public var bundleID: String?
    /// In display order; `nil` means all that the project has enabled.
    public var signInMethods: [ProviderID]?
    /// The allowed audiences of tokens that this app sends, by provider. ``ProviderSettings/clientIDs`` applies to a
    /// provider that is not listed.
    public var clientIDs: [String: [String]]
    /// Exempts the app from guideline 4.8.
    public var exemption: LoginServicesExemption?

    public init(
        platform: Platform = .other, distribution: Distribution = .other, bundleID: String? = nil,
        signInMethods: [ProviderID]? = nil, clientIDs: [String: [String]] = [:],
        exemption: LoginServicesExemption? = nil
    ) {
        self.platform = platform
        self.distribution = distribution
        self.bundleID = bundleID
        self.signInMethods = signInMethods
        self.clientIDs = clientIDs
        self.exemption = exemption
    }
}

/// One of the five exemptions in the text of App Review guideline 4.8, with the operator's reason for claiming it.
public struct LoginServicesExemption: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Sendable {
        /// The app uses only its company's own account system.
        case ownAccountsOnly
        /// An alternative app marketplace, or an app from one that uses the marketplace's own login.
        case alternativeMarketplace
        /// Education, enterprise or business apps that require an account of the organisation.
        case organisationAccounts
        /// A citizen identification system of a government or an industry.
        case governmentIdentity
        /// A client of one third-party service, whose accounts its users must have.
        case thirdPartyClient
    }

    public let kind: Kind
    /// 1 to 500 characters.
    public let reason: String

    public init(kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
