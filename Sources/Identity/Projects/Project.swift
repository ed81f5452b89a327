/// One app family with its own accounts, providers and keys.
public struct Project: Hashable, Sendable {
    public let id: ID<Project>
    /// The wire's `projectId` where Firebase answers a number.
    public let number: Int64
    public var profile: Policy.Profile
    public var policy: Policy
    /// Hosts that links and redirects may go to.
    public var authorizedDomains: [String]
    public var mail: EmailSettings
    /// At most one of each ``ProviderSettings/provider``.
    public var providers: [ProviderSettings]
    /// `nil` unless this is a tenant of another project.
    public var tenant: Tenant?
    public var hasTenants = false

    public init(
        id: ID<Project>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String],
        mail: EmailSettings = EmailSettings(), providers: [ProviderSettings] = []
    ) {
        self.id = id
        self.number = number
        self.profile = profile
        self.policy = policy
        self.authorizedDomains = authorizedDomains
        self.mail = mail
        self.providers = providers
    }

    public func settings(of provider: ProviderID) -> ProviderSettings? {
        providers.first { $0.provider == provider }
    }
}
