/// Rules of Firebase's emulator that `sekisho dev` applies to projects in addition to their configuration.
/// `sekisho serve` never sets them.
public struct EmulatorRules: Hashable, Sendable {
    /// The policy of a project that was not configured. An update of the configuration without a field mask restores
    /// this policy.
    public let defaultPolicy: Policy
    /// The authorized domains of a new project. As long as a project has exactly these, every continue URL is accepted.
    public let defaultDomains: [String]

    public init(defaultPolicy: Policy, defaultDomains: [String]) {
        self.defaultPolicy = defaultPolicy
        self.defaultDomains = defaultDomains
    }
}

extension Project {
    /// The policy of a project that was not configured.
    public var defaultPolicy: Policy { emulatorRules?.defaultPolicy ?? Policy(profile) }

    /// Whether links may open `host`.
    ///
    /// - Parameter host: in lower case.
    func authorizes(_ host: String) -> Bool { acceptsEveryDomain || listsAuthorizedDomain(host) }

    /// Whether `host` is one of the authorized domains.
    ///
    /// - Parameter host: in lower case.
    func listsAuthorizedDomain(_ host: String) -> Bool { authorizedDomains.contains { $0.lowercased() == host } }

    /// Whether this is a project of `sekisho dev` that has the default domains.
    var acceptsEveryDomain: Bool { authorizedDomains == emulatorRules?.defaultDomains }
}
