/// Whatever holds accounts: a project itself, or one of its tenants. It is the subject of an ``ID`` only.
public enum Realm {}

/// A family of apps with its configuration and keys, as it applies to one realm: to the project itself, or to a tenant.
public struct Project: Hashable, Sendable {
    /// The realm whose accounts requests refer to.
    public let realm: ID<Realm>
    /// The wire's `projectId` where Firebase returns a number.
    public let number: Int64
    public var profile: Policy.Profile
    public var policy: Policy
    /// Hosts that links and redirects may lead to.
    public var authorizedDomains: [String]
    public var emailSettings: EmailSettings
    /// At most one per ``ProviderSettings/provider``.
    public var providers: [ProviderSettings]
    /// `nil` if the realm is the project itself.
    public var tenant: Tenant?
    public var hasTenants = false
    /// `nil` except in `dev`.
    public var emulatorRules: EmulatorRules?
    /// The apps of the project, in the order of creation.
    public var apps: [App] = []

    public init(
        realm: ID<Realm>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String],
        emailSettings: EmailSettings = EmailSettings(), providers: [ProviderSettings] = []
    ) {
        self.realm = realm
        self.number = number
        self.profile = profile
        self.policy = policy
        self.authorizedDomains = authorizedDomains
        self.emailSettings = emailSettings
        self.providers = providers
    }

    public init(
        id: ID<Project>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String],
        emailSettings: EmailSettings = EmailSettings(), providers: [ProviderSettings] = []
    ) {
        self.init(
            realm: ID(id), number: number, profile: profile, policy: policy, authorizedDomains: authorizedDomains,
            emailSettings: emailSettings, providers: providers)
    }

    /// The project itself, even if ``realm`` is a tenant: apps, keys and tokens belong to the project.
    public var id: ID<Project> { realm.project }

    public func settings(of provider: ProviderID) -> ProviderSettings? {
        providers.first { $0.provider == provider }
    }
}
