/// A part of what administrators may do. Every operation of theirs needs one; a few need another one for what the
/// request asks.
///
/// Linking an identity, minting a token, being handed a link that proves a mailbox and changing who is believed each let
/// the holder of the key become any user. So does ``writeUsers``, though not unnoticed: it can set a password.
public enum ServiceKeyScope: String, Hashable, Sendable, CaseIterable {
    case readUsers = "users.read"
    case writeUsers = "users.write"
    /// Identities of accounts, and making one account of two.
    case linkUsers = "users.link"
    /// What is configured of the project: reading it, and changing what decides nothing of ``trust``.
    case config
    /// With ``config``: changes that decide who is believed, or where codes and events go. See
    /// ``ProjectConfiguration/changesTrust(since:)``.
    case trust
    /// Custom tokens, session cookies, and links that stand for a mailbox.
    case mintTokens = "tokens.mint"
    case readAudit = "audit.read"
}

extension ServiceKeyScope {
    /// What a caller without the scope is answered, after `PERMISSION_DENIED`.
    public var missingDetail: String { "The service key lacks the scope \(rawValue)." }
}

/// What one service key may do.
public struct ServiceKeyScopes: Hashable, Sendable {
    private let some: Set<ServiceKeyScope>
    private let isAll: Bool

    /// Also what later releases will make of scopes.
    public static let all = ServiceKeyScopes(some: [], isAll: true)
    private static let nameOfAll = "all"

    public init(_ scopes: Set<ServiceKeyScope>) {
        self.init(some: scopes, isAll: false)
    }

    private init(some: Set<ServiceKeyScope>, isAll: Bool) {
        self.some = some
        self.isAll = isAll
    }

    /// As they are stored. A name that this release does not know allows nothing in it.
    public init(names: [String]) {
        self.init(some: Set(names.compactMap(ServiceKeyScope.init)), isAll: names.contains(Self.nameOfAll))
    }

    /// - Parameter list: names with commas between them.
    /// - Returns: `nil` for a name that is none, or no name at all.
    public init?(parsing list: String) {
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ $0 == Self.nameOfAll || ServiceKeyScope(rawValue: $0) != nil }) else { return nil }
        self.init(names: names)
    }

    public func allow(_ scope: ServiceKeyScope) -> Bool { isAll || some.contains(scope) }

    /// In a fixed order.
    public var names: [String] {
        isAll ? [Self.nameOfAll] : ServiceKeyScope.allCases.filter(some.contains).map(\.rawValue)
    }

    /// What can be written, for help texts.
    public static let allNames = ServiceKeyScope.allCases.map(\.rawValue) + [nameOfAll]
}
