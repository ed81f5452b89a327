/// What the mode in which the gateway runs adds to the configuration of every project. The defaults add nothing, and
/// apply in production.
public struct ModeRules: Hashable, Sendable {
    /// The policy of a project that was not configured. An update of the configuration without a field mask restores
    /// this policy. `nil` for the policy of the project's profile.
    public var defaultPolicy: Policy?
    /// As long as a project has exactly these authorized domains, links may open every host; `nil` for no such domains.
    public var openDomains: [String]?
    /// Whether pages of every authorized domain may be http URLs.
    public var acceptsHTTPPages = false
    /// Whether a request that names an unknown tenant creates it.
    public var createsTenants = false
    /// Whether linking an identity that the caller already has is a conflict instead of a login.
    public var rejectsRepeatedLinks = false
    /// Whether a backend that requests a password reset does not learn that no account has the address, if the project
    /// has email enumeration protection.
    public var hidesAccountsFromBackends = false
    /// Whether members of a configuration that are not implemented cause warnings instead of an error.
    public var acceptsUnimplementedMembers = false
    /// Whether pages of `localhost` may use passkeys at every port, without `https`.
    public var acceptsLocalPasskeys = false
    /// Whether codes for telephone numbers are listed for tests instead of sent. Then neither budgets nor calling codes
    /// limit them, and tenants have no sign-in by telephone number.
    public var listsPhoneCodes = false
    /// Whether a blocking function that states that an address is not verified takes the verification also from an
    /// account that exists.
    public var hooksRevokeVerifications = false
    /// The languages for tests of the pages that a request may name.
    public var pseudoLocales: [Language] = []

    public init() {}
}

extension Project {
    /// The policy of a project that was not configured.
    public var defaultPolicy: Policy { modeRules.defaultPolicy ?? Policy(profile) }

    /// Whether links may open `host`.
    ///
    /// - Parameter host: in lower case.
    func authorizes(_ host: String) -> Bool { acceptsEveryDomain || listsAuthorizedDomain(host) }

    /// Whether `host` is one of the authorized domains.
    ///
    /// - Parameter host: in lower case.
    func listsAuthorizedDomain(_ host: String) -> Bool { authorizedDomains.contains { $0.lowercased() == host } }

    /// Whether links may open every host; see ``ModeRules/openDomains``.
    var acceptsEveryDomain: Bool { authorizedDomains == modeRules.openDomains }
}
