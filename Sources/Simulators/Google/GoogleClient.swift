/// An OAuth client of a Google Cloud project.
public struct GoogleClient: Hashable, Sendable {
    public var id: String
    /// `nil` for clients without a secret, such as apps.
    public var secret: String?
    /// The registered redirect URIs. ``RedirectURIRule`` decides which other ones are accepted.
    public var redirectURIs: Set<String>

    public init(id: String, secret: String? = nil, redirectURIs: Set<String> = []) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
    }
}

/// The two issuers that Google's documents allow.
public enum GoogleIssuer: String, Sendable, CaseIterable {
    case url = "https://accounts.google.com"
    case host = "accounts.google.com"
}

/// The flow in which Google issued an ID token.
public enum GoogleFlow: Sendable, CaseIterable {
    case signIn
    /// Google One Tap on the web: the token has `nbf` and `jti`, and no `at_hash`.
    case oneTap
}
