/// Accounts of their own below a project: an organisation, say, whose people nobody else's are mixed with. They are
/// kept as a project's are, and have the project's apps, keys and name.
public struct Tenant: Hashable, Sendable {
    public let id: ID<Tenant>
    public let parent: ID<Project>
    public var settings: TenantSettings

    public init(id: ID<Tenant>, parent: ID<Project>, settings: TenantSettings) {
        self.id = id
        self.parent = parent
        self.settings = settings
    }

    /// Where its accounts are kept.
    public var home: ID<Project> { ID(id, of: parent) }
}

/// What is set of a tenant by itself. It begins with everything off.
public struct TenantSettings: Hashable, Sendable {
    /// Shown to operators.
    public var displayName: String?
    public var allowsPasswords = false
    public var allowsEmailLinks = false
    public var allowsAnonymous = false
    /// Nobody can sign in, and nothing can be done with its accounts; who is signed in gets fresh tokens all the same, as
    /// with Firebase.
    public var isDisabled = false

    public init() {}
}

extension Project {
    /// Itself, or what it is a tenant of: in whose name and with whose keys tokens are made.
    public var root: ID<Project> { id.root }

    /// A tenant of this project: what it has not of its own is as here.
    ///
    /// - Parameter providers: the tenant's own; there are no others.
    public func home(of tenant: Tenant, providers: [ProviderSettings]) -> Project {
        var home = Project(
            id: tenant.home, number: number, profile: profile, policy: policy, authorizedDomains: authorizedDomains,
            mail: mail, providers: providers)
        home.tenant = tenant
        home.policy.allowsPasswords = tenant.settings.allowsPasswords
        home.policy.allowsEmailLinks = tenant.settings.allowsEmailLinks
        home.policy.allowsAnonymous = tenant.settings.allowsAnonymous
        return home
    }
}

extension ID where Subject == Project {
    /// No project can be named so: a slash is between the two.
    public init(_ tenant: ID<Tenant>, of parent: ID<Project>) {
        self.init("\(parent)/\(tenant)")
    }

    /// Itself, or what it is a tenant of.
    public var root: ID<Project> { tenant?.parent ?? self }

    /// The tenant whose accounts are kept there, if it is one.
    public var tenant: (id: ID<Tenant>, parent: ID<Project>)? {
        guard let slash = rawValue.firstIndex(of: "/") else { return nil }
        return (ID<Tenant>(String(rawValue[rawValue.index(after: slash)...])), ID(String(rawValue[..<slash])))
    }
}

extension ID where Subject == Tenant {
    /// Whether it has the form of a tenant's id: 1 to 63 letters, digits, hyphens and underscores.
    public var canBeTenant: Bool {
        (1...63).contains(rawValue.utf8.count) && rawValue.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil
    }
}

/// Why a request about a tenant was turned away.
public enum TenantRefusal: Error, Hashable {
    /// There is none of that name.
    case unknown
    /// Two parts of one request name different ones, or a token is of another one.
    case mismatch
    /// It is switched off.
    case disabled
    /// Tenants have no such thing of their own.
    case notForTenants
}
