/// Rules of Firebase's emulator that apply to projects in `dev` in addition to their configuration. `serve` never sets
/// them.
public struct EmulatorRules: Hashable, Sendable {
    /// The policy of a project that was not configured, which an update of the configuration without a mask restores.
    public let policy: Policy
    /// The authorized domains of a new project. While a project has these, every continue URL is accepted.
    public let domains: [String]

    public init(policy: Policy, domains: [String]) {
        self.policy = policy
        self.domains = domains
    }
}

extension Project {
    /// The policy of a project that was not configured.
    public var defaultPolicy: Policy { emulatorRules?.policy ?? Policy(profile) }

    /// Whether links may lead to `host`.
    ///
    /// - Parameter host: in lower case.
    func authorizes(_ host: String) -> Bool { acceptsEveryDomain || listsDomain(host) }

    /// Whether `host` is one of the authorized domains.
    ///
    /// - Parameter host: in lower case.
    func listsDomain(_ host: String) -> Bool { authorizedDomains.contains { $0.lowercased() == host } }

    /// Whether this is a project of `dev` whose domains were not configured.
    var acceptsEveryDomain: Bool { authorizedDomains == emulatorRules?.domains }
}
