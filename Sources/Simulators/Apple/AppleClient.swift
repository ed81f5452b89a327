public import Crypto

/// An app or a web site that a developer team has registered with Apple.
public struct AppleClient: Sendable {
    public enum Kind: Sendable {
        /// Identified by a bundle ID. It has no redirect URI, and its tokens have `real_user_status`.
        case native
        /// Identified by a Services ID.
        case web
        /// Either: `dev` does not know which of a project's client IDs are Services IDs.
        case either
    }

    public var id: String
    /// Ten characters. Subjects and relay addresses differ from team to team.
    public var team: String
    public var kind: Kind
    /// The public halves of the team's `.p8` keys, by key id.
    public var keys: [String: PublicKey]
    /// Empty accepts any.
    public var redirectURIs: Set<String> = []
    var formerTeam: String?
    var transferredAt: Int64?

    public init(
        id: String, team: String = SimulatedApple.defaultTeam, kind: Kind = .native, keys: [String: PublicKey] = [:]
    ) {
        self.id = id
        self.team = team
        self.kind = kind
        self.keys = keys
    }
}

/// What a client may request from a person.
public enum AppleScope: String, Sendable, CaseIterable {
    case name, email
}
