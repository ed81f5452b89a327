/// A permission of a service key or of an administrator. Every administrative operation requires one; a few require a
/// second one for certain requests.
///
/// With some scopes, the holder of a key can sign in as any user:
/// - ``linkUsers``: by linking an identity
/// - ``mintTokens``: by creating a token, or a link that proves control of a mailbox
/// - ``config`` and ``trust`` together: by changing whose tokens are accepted or where codes are sent
/// - ``writeUsers``: by setting a password, which the user notices
public enum ServiceKeyScope: String, Hashable, Sendable, CaseIterable {
    case readUsers = "users.read"
    case writeUsers = "users.write"
    /// Disable and enable accounts, end their sessions, and send emails that verify an address or reset a password.
    /// ``writeUsers`` includes it.
    case supportUsers = "users.support"
    /// Link, unlink and move identities; merge accounts.
    case linkUsers = "users.link"
    /// Read the configuration of the project, and change all settings that do not need ``trust``.
    case config
    /// Read the configuration of the project. ``config`` includes it.
    case readConfig = "config.read"
    /// With ``config``: change settings that decide whose tokens are accepted or where codes are sent. See
    /// ``ProjectConfiguration/changesTrust(since:)``.
    case trust
    /// Create custom tokens, session cookies, and links that prove control of a mailbox.
    case mintTokens = "tokens.mint"
    case readAudit = "audit.read"
    /// Read the feed of events.
    case readEvents = "events.read"
    /// Invite and remove administrators, and change their roles.
    case writeAdministrators = "administrators.write"
}

extension ServiceKeyScope {
    /// The error detail, after `PERMISSION_DENIED`, for a caller without the scope.
    public var missingScopeDetail: String { "The service key lacks the scope \(rawValue)." }

    /// The scope whose holders also have this one; `nil` if there is none.
    private var including: ServiceKeyScope? {
        switch self {
        case .supportUsers: .writeUsers
        case .readConfig: .config
        case .readUsers, .writeUsers, .linkUsers, .config, .trust, .mintTokens, .readAudit, .readEvents,
            .writeAdministrators:
            nil
        }
    }

    /// The scopes of which one is needed where this scope is needed.
    fileprivate var sufficient: Set<ServiceKeyScope> { including.map { [self, $0] } ?? [self] }
}

/// The scopes of one service key or administrator.
public struct ServiceKeyScopes: Hashable, Sendable {
    private let scopes: Set<ServiceKeyScope>
    private let isAll: Bool

    /// All scopes, including those of later releases.
    public static let all = ServiceKeyScopes(scopes: [], isAll: true)
    private static let nameOfAll = "all"

    public init(_ scopes: Set<ServiceKeyScope>) {
        self.init(scopes: scopes, isAll: false)
    }

    private init(scopes: Set<ServiceKeyScope>, isAll: Bool) {
        self.scopes = scopes
        self.isAll = isAll
    }

    /// Decodes the stored names. A name that this release does not know grants nothing.
    public init(names: [String]) {
        self.init(scopes: Set(names.compactMap(ServiceKeyScope.init)), isAll: names.contains(Self.nameOfAll))
    }

    /// - Parameter list: comma-separated names.
    /// - Returns: `nil` if a name is unknown or the list is empty.
    public init?(parsing list: String) {
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ $0 == Self.nameOfAll || ServiceKeyScope(rawValue: $0) != nil }) else { return nil }
        self.init(names: names)
    }

    public func allows(_ scope: ServiceKeyScope) -> Bool { isAll || !scopes.isDisjoint(with: scope.sufficient) }

    /// Whether these scopes allow everything that `other` allows.
    public func include(_ other: ServiceKeyScopes) -> Bool {
        isAll || !other.isAll && other.scopes.allSatisfy(allows)
    }

    public func subtracting(_ removed: Set<ServiceKeyScope>) -> ServiceKeyScopes {
        ServiceKeyScopes((isAll ? Set(ServiceKeyScope.allCases) : scopes).subtracting(removed))
    }

    /// In a fixed order.
    public var names: [String] {
        isAll ? [Self.nameOfAll] : ServiceKeyScope.allCases.filter(scopes.contains).map(\.rawValue)
    }

    /// The accepted names, for help texts.
    public static let allNames = ServiceKeyScope.allCases.map(\.rawValue) + [nameOfAll]
}
