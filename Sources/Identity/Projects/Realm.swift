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
