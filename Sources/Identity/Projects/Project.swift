public import Encoding

/// A family of apps: its ID, and the configuration that all its realms share. Does not contain the project's keys.
///
/// A project is also a realm: the ``Realm`` of a project has the policy and the providers of the project itself.
public struct Project: Hashable, Sendable {
    public let id: ID<Project>
    /// The project's number, which some responses contain in place of ``id``, as Firebase's do.
    public let number: Int64
    public var profile: Policy.Profile
    /// The hosts that links and redirects may open.
    public var authorizedDomains: [String]
    public var emailSettings: EmailSettings
    public var passkeys: PasskeySettings
    public var sms = SMSSettings()
    /// Whether the project has tenants, or a request can create a tenant.
    public var hasTenants = false
    public var modeRules = ModeRules()
    /// In the order of creation.
    public var apps: [App] = []
    /// The identity providers that the project can configure.
    public let supportedProviders: SupportedProviders
    /// The kinds of events that the project's listeners want.
    public var wantedEvents: Set<AccountEvent.Kind> = []
    /// Servers of the operator that may refuse or change a sign-in.
    public var blockingFunctions = BlockingFunctions()
    public var brand = Brand()

    public init(
        id: ID<Project>, number: Int64, profile: Policy.Profile, authorizedDomains: [String],
        emailSettings: EmailSettings = EmailSettings(), passkeys: PasskeySettings = PasskeySettings(),
        supporting supportedProviders: SupportedProviders
    ) {
        self.id = id
        self.number = number
        self.profile = profile
        self.authorizedDomains = authorizedDomains
        self.emailSettings = emailSettings
        self.passkeys = passkeys
        self.supportedProviders = supportedProviders
    }
}

/// One client of a project. An API key identifies the app, and thereby the project, of a request.
public struct App: Hashable, Sendable {
    public let id: ID<App>
    public var settings: AppSettings
    /// Before this time, users can sign in with social providers although the app violates App Review guideline 4.8;
    /// see ``LoginServicesGrace``.
    public var graceEndsAt: Instant?

    public init(id: ID<App>, settings: AppSettings = AppSettings(), graceEndsAt: Instant? = nil) {
        self.id = id
        self.settings = settings
        self.graceEndsAt = graceEndsAt
    }
}

extension App {
    /// The allowed audiences of this provider's tokens if this app sends them.
    public func audiences(of provider: ProviderSettings) -> [String] {
        settings.clientIDs[ByteText(provider.provider.rawValue)] ?? provider.clientIDs
    }
}

/// The declared properties of an app: for example which sign-in methods it shows, which tokens it sends, and which
/// callers may use its API keys.
public struct AppSettings: Hashable, Sendable {
    public enum Platform: String, CaseIterable, Codable, Sendable {
        case ios
        case macos
        case tvos
        case watchos
        case visionos
        case android
        case windows
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

    /// What an app requests from identity providers, besides the user's ID.
    public enum RequestedScope: String, CaseIterable, Codable, Sendable {
        case email
        case name
    }

    public var platform: Platform
    public var distribution: Distribution
    /// On Apple's platforms: the bundle IDs of the app and its extensions. The audience of a native Apple token is one
    /// of them, and must also be one of the accepted client IDs of `apple.com`; see ``App/audiences(of:)``.
    public var bundleIDs: [String]
    /// In display order; `nil` means all that the project has enabled.
    public var signInMethods: [ProviderID]?
    /// Providers whose identities can be linked to an account but not used to sign in. App Review guideline 4.8 does
    /// not apply to these providers.
    public var linkOnlyMethods: [ProviderID]
    /// The allowed audiences of tokens that this app sends, by provider. ``ProviderSettings/clientIDs`` applies to a
    /// provider that is not listed.
    public var clientIDs: [ByteText: [String]]
    /// The scopes that the app's sign-in buttons request.
    public var requestedScopes: Set<RequestedScope>
    /// The callers that may use the app's API keys, besides ``bundleIDs``.
    public var callers: AllowedCallers
    public var association: AppAssociation
    /// The URLs that a sign-in in the browser may return to, compared exactly: pages, app links, custom schemes and
    /// loopback URLs. If the list is empty, every page of an authorized domain is accepted; see
    /// ``AuthorizationTarget``.
    public var redirectURIs: [String]
    /// Exempts the app from guideline 4.8.
    public var exemption: LoginServicesExemption?
    /// Replaces members of the project's brand; see ``Project/brand(of:)``.
    public var brand = Brand()

    public init(
        platform: Platform = .other, distribution: Distribution = .other, bundleIDs: [String] = [],
        signInMethods: [ProviderID]? = nil, linkOnlyMethods: [ProviderID] = [], clientIDs: [ByteText: [String]] = [:],
        requestedScopes: Set<RequestedScope> = Set(RequestedScope.allCases),
        callers: AllowedCallers = AllowedCallers(), association: AppAssociation = AppAssociation(),
        redirectURIs: [String] = [],
        exemption: LoginServicesExemption? = nil
    ) {
        self.platform = platform
        self.distribution = distribution
        self.bundleIDs = bundleIDs
        self.signInMethods = signInMethods
        self.linkOnlyMethods = linkOnlyMethods
        self.clientIDs = clientIDs
        self.requestedScopes = requestedScopes
        self.callers = callers
        self.association = association
        self.redirectURIs = redirectURIs
        self.exemption = exemption
    }
}
