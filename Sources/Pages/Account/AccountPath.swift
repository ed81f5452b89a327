internal import HTML

/// The pages of the account page, below `/{project}/__/auth/account`.
public enum AccountPath: String, Sendable, CaseIterable {
    case overview = ""
    case methods
    /// Leads to the sign-in page, on which the user proves an identity to add.
    case add
    case remove
    /// Adds a passkey.
    case passkey
    /// Renames a passkey.
    case rename
    case email
    case password
    case profile
    case preferences
    case devices
    case activity
    case secure
    case phone
    case authenticator
    case recoveryCodes
    case data
    case delete

    /// The last segment of the path of the overview.
    public static let root = "account"

    /// The path to `other` from this page. It is relative, so that a proxy can serve the gateway below another path.
    public func relativePath(to other: AccountPath) -> String {
        switch (self, other) {
        case (.overview, .overview): Self.root
        case (.overview, _): "\(Self.root)/\(other.rawValue)"
        case (_, .overview): "../\(Self.root)"
        case (_, _): other.rawValue
        }
    }
}
