public import Encoding

/// A set of accounts: a project itself, or one of its tenants. The type is used only as the subject of an ``ID``, which
/// the database stores in columns named `realm_id`.
public enum Realm {}

/// The configuration of a family of apps, as it applies to one realm: to the project itself, or to one of its tenants.
/// Does not contain the project's keys.
public struct Project: Hashable, Sendable {
    /// The realm that holds the accounts: the project itself or one of its tenants.
    public let realm: ID<Realm>
    /// The project's number, which some responses contain in place of ``id``, as Firebase's do.
    public let number: Int64
    public var profile: Policy.Profile
    public var policy: Policy
    /// The hosts that links and redirects may open.
    public var authorizedDomains: [String]
    public var emailSettings: EmailSettings
    /// At most one per ``ProviderSettings/provider``.
    public var providers: [ProviderSettings]
    /// `nil` if the realm is the project itself.
    public var tenant: Tenant?
    /// Whether the project has tenants, or a request can create a tenant. `false` if the realm is a tenant.
    public var hasTenants = false
    public var modeRules = ModeRules()
    /// The apps of the project, in the order of creation.
    public var apps: [App] = []
    /// The identity providers that the project can configure.
    public let supportedProviders: SupportedProviders
    /// The kinds of events that the project's listeners want. Tenants have those of their project.
    public var wantedEvents: Set<AccountEvent.Kind> = []

    public init(
        realm: ID<Realm>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String],
        emailSettings: EmailSettings = EmailSettings(), providers: [ProviderSettings] = [],
        supporting supportedProviders: SupportedProviders
    ) {
        self.realm = realm
        self.number = number
        self.profile = profile
        self.policy = policy
        self.authorizedDomains = authorizedDomains
        self.emailSettings = emailSettings
        self.providers = providers
        self.supportedProviders = supportedProviders
    }

    public init(
        id: ID<Project>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String],
        emailSettings: EmailSettings = EmailSettings(), providers: [ProviderSettings] = [],
        supporting supportedProviders: SupportedProviders
    ) {
        self.init(
            realm: ID(id), number: number, profile: profile, policy: policy, authorizedDomains: authorizedDomains,
            emailSettings: emailSettings, providers: providers, supporting: supportedProviders)
    }
}

extension Project {
    /// The ID of the project itself, even if ``realm`` is a tenant: apps, keys and tokens belong to the project.
    public var id: ID<Project> { realm.project }

    public func settings(of provider: ProviderID) -> ProviderSettings? {
        providers.first { $0.provider == provider }
    }
}

/// A separate set of accounts inside a project, for example those of one organisation. It shares the project's apps,
/// keys and name.
public struct Tenant: Hashable, Sendable {
    public let id: ID<Tenant>
    public let parent: ID<Project>
    public var settings: TenantSettings

    public init(id: ID<Tenant>, parent: ID<Project>, settings: TenantSettings) {
        self.id = id
        self.parent = parent
        self.settings = settings
    }
}

extension Tenant {
    /// The realm that holds the tenant's accounts.
    public var realm: ID<Realm> { ID(id, of: parent) }
}

extension Project {
    /// The project as it applies to one of its tenants. Everything that the tenant does not set itself comes from the
    /// project.
    ///
    /// - Parameter providers: the tenant's own providers, which replace those of the project.
    public func forTenant(_ tenant: Tenant, providers: [ProviderSettings]) -> Project {
        var project = Project(
            realm: tenant.realm, number: number, profile: profile, policy: tenant.settings.applied(to: policy),
            authorizedDomains: authorizedDomains, emailSettings: emailSettings, providers: providers,
            supporting: supportedProviders)
        project.tenant = tenant
        project.apps = apps
        project.wantedEvents = wantedEvents
        return project
    }
}

extension ID where Subject == Realm {
    /// The project itself as a realm.
    public init(_ project: ID<Project>) {
        self.init(project.rawValue)
    }

    /// A tenant as a realm. No project can have this ID, because it contains a slash.
    public init(_ tenant: ID<Tenant>, of project: ID<Project>) {
        self.init("\(project)/\(tenant)")
    }

    /// The project that the realm is, or belongs to.
    public var project: ID<Project> {
        ID<Project>(rawValue.firstIndex(of: "/").map { String(rawValue[..<$0]) } ?? rawValue)
    }

    /// `nil` if the realm is a project itself.
    public var tenant: ID<Tenant>? {
        rawValue.firstIndex(of: "/").map { ID<Tenant>(String(rawValue[rawValue.index(after: $0)...])) }
    }
}

extension ID where Subject == Tenant {
    /// Whether the ID has the form of a tenant ID: 1 to 63 letters, digits, hyphens and underscores.
    public var isValidTenantID: Bool {
        (1...63).contains(rawValue.utf8.count) && rawValue.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil
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
