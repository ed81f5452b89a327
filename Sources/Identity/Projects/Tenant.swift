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

    /// The realm that holds its accounts.
    public var realm: ID<Realm> { ID(id, of: parent) }
}

/// The settings of one tenant. In a new tenant every sign-in method is disabled.
public struct TenantSettings: Hashable, Sendable {
    /// Shown to administrators.
    public var displayName: String?
    public var allowsPasswords = false
    public var allowsEmailLinks = false
    public var allowsAnonymous = false
    /// Sign-in and all operations on accounts are rejected. Refresh tokens of existing sessions still work, as with
    /// Firebase.
    public var isDisabled = false

    public init() {}
}

extension Project {
    /// The project as it applies to one of its tenants: the tenant's settings and providers, otherwise the project's.
    ///
    /// - Parameter providers: the tenant's own providers, which replace those of the project.
    public func applied(to tenant: Tenant, providers: [ProviderSettings]) -> Project {
        var project = Project(
            realm: tenant.realm, number: number, profile: profile, policy: policy,
            authorizedDomains: authorizedDomains, emailSettings: emailSettings, providers: providers)
        project.tenant = tenant
        project.apps = apps
        project.policy.allowsPasswords = tenant.settings.allowsPasswords
        project.policy.allowsEmailLinks = tenant.settings.allowsEmailLinks
        project.policy.allowsAnonymous = tenant.settings.allowsAnonymous
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
    public var canBeTenant: Bool {
        (1...63).contains(rawValue.utf8.count) && rawValue.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil
    }
}

/// Why a request for a tenant was rejected.
public enum TenantRefusal: Refusal, Hashable {
    /// The tenant does not exist.
    case unknown
    /// Two parts of one request name different tenants, or a token belongs to another tenant.
    case mismatch
    /// The tenant is disabled.
    case disabled
    /// The operation or setting exists for projects only.
    case notForTenants
}

extension TenantRefusal {
    public var code: ErrorCode {
        switch self {
        case .unknown: .invalidTenantID
        case .mismatch: .tenantIDMismatch
        case .disabled: .projectDisabled
        case .notForTenants: .unsupportedTenantOperation
        }
    }
}
