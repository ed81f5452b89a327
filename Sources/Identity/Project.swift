/// One app family with its own accounts, providers and keys.
public struct Project: Hashable, Sendable {
    public let id: ID<Project>
    /// The wire's `projectId` where Firebase answers a number.
    public let number: Int64
    public var profile: Policy.Profile
    public var policy: Policy
    /// Hosts that links and redirects may go to.
    public var authorizedDomains: [String]

    public init(
        id: ID<Project>, number: Int64, profile: Policy.Profile, policy: Policy, authorizedDomains: [String]
    ) {
        self.id = id
        self.number = number
        self.profile = profile
        self.policy = policy
        self.authorizedDomains = authorizedDomains
    }
}

/// One client of a project. Its API key tells which project and app a request comes from.
public struct App: Hashable, Sendable {
    public let id: ID<App>

    public init(id: ID<App>) {
        self.id = id
    }
}
