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
    /// The display names of the stored apps. Only ``name(of:)`` reads them; an edit of the configuration does not
    /// change them.
    public var appNames: [ID<App>: String] = [:]
    /// The identity providers that the project can configure.
    public let supportedProviders: SupportedProviders
    /// The kinds of events that the project's listeners want.
    public var wantedEvents: Set<AccountEvent.Kind> = []
    /// Servers of the operator that may refuse or change a sign-in.
    public var blockingFunctions = BlockingFunctions()
    public var brand = Brand()
    public var texts = CustomTexts()

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
    /// Whether the app may sign in with the session of the browser without a page (`prompt=none`). Otherwise an app
    /// that opens the page unseen could find out who uses the browser.
    public var allowsSilentSignIn = false
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

/// A set of accounts, with the configuration that applies to it: a project itself, or one of its tenants.
public struct Realm: Hashable, Sendable {
    /// The database stores it in columns named `realm_id`.
    public let id: ID<Realm>
    /// The project that the realm is, or belongs to.
    @Boxed public var project: Project
    /// `nil` if the realm is the project itself.
    @Boxed public private(set) var tenant: Tenant?
    /// The policy that applies to the realm's accounts. In a tenant, the project's policy with the tenant's settings.
    @Boxed public var policy: Policy
    /// The realm's own providers, at most one per ``ProviderSettings/provider``. A tenant does not have those of its
    /// project.
    public var providers: [ProviderSettings]

    /// A project itself.
    public init(_ project: Project, policy: Policy, providers: [ProviderSettings] = []) {
        id = ID(project.id)
        self.project = project
        tenant = nil
        self.policy = policy
        self.providers = providers
    }

    /// A tenant.
    ///
    /// - Parameters:
    ///   - project: the realm of the tenant's project.
    ///   - providers: the tenant's own providers.
    public init(_ tenant: Tenant, of project: Realm, providers: [ProviderSettings]) {
        id = tenant.realm
        self.project = project.project
        self.tenant = tenant
        policy = tenant.settings.applied(to: project.policy)
        self.providers = providers
    }
}

extension Realm {
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
