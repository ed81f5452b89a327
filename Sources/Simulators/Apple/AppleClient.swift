public import Crypto

/// An app or a web site that a developer team has registered with Apple.
public struct AppleClient: Sendable {
    public enum Kind: Sendable {
        /// An app, identified by a bundle ID. It has no redirect URI. The token of a person's first sign-in has
        /// `real_user_status`.
        case native
        /// A web site, identified by a Services ID.
        case web
        /// Identified by a bundle ID or a Services ID. `sekisho dev` registers all clients with this kind, because it
        /// does not know which client IDs of a project are Services IDs.
        case either
    }

    public var id: String
    /// The team ID, ten characters. Subjects and relay addresses differ between teams.
    public var team: String
    public var kind: Kind
    /// The public keys that belong to the team's `.p8` keys, by key ID.
    public var keys: [String: PublicKey]
    /// The registered redirect URIs. ``RedirectURIRule`` decides which other ones are accepted.
    public var redirectURIs: Set<String> = []
    /// The team before the latest transfer; `nil` if there was no transfer.
    var formerTeam: String?
    /// The time of the latest transfer, in seconds since 1970.
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

/// A scope that a client may request.
public enum AppleScope: String, Sendable, CaseIterable {
    case name, email
}
