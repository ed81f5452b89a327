/// One provider as a project has it configured. Its private key or client secret is kept apart, sealed.
public struct ProviderSettings: Hashable, Sendable {
    public let provider: ProviderID
    public var isEnabled: Bool
    /// The audiences its tokens may have: bundle ids, Services IDs, OAuth client ids. Never empty.
    public var clientIDs: [String]
    /// A private key or client secret is kept.
    public var hasSecret: Bool
    public var apple: AppleSettings?
    /// For a provider that ``ProviderID/isGenericOpenID``.
    public var openID: OpenIDSettings?

    public init(
        provider: ProviderID, isEnabled: Bool, clientIDs: [String], hasSecret: Bool = false,
        apple: AppleSettings? = nil, openID: OpenIDSettings? = nil
    ) {
        self.provider = provider
        self.isEnabled = isEnabled
        self.clientIDs = clientIDs
        self.hasSecret = hasSecret
        self.apple = apple
        self.openID = openID
    }
}

/// What Apple alone asks for.
public struct AppleSettings: Hashable, Sendable {
    /// Ten characters.
    public var teamID: String
    /// Of the private key that client secrets are signed with; ten characters.
    public var keyID: String
    /// A token's nonce may also equal the nonce as it is sent, not only its SHA-256: apps that pass it on unhashed.
    public var acceptsUnhashedNonces: Bool

    public init(teamID: String, keyID: String, acceptsUnhashedNonces: Bool = false) {
        self.teamID = teamID
        self.keyID = keyID
        self.acceptsUnhashedNonces = acceptsUnhashedNonces
    }
}

public struct OpenIDSettings: Hashable, Sendable {
    /// An https URL; compared as it is (OpenID Connect Core 1.0 §3.1.3.7).
    public var issuer: String
    public var displayName: String?
    /// Its `email_verified` is believed.
    public var trustsEmail: Bool

    public init(issuer: String, displayName: String? = nil, trustsEmail: Bool = false) {
        self.issuer = issuer
        self.displayName = displayName
        self.trustsEmail = trustsEmail
    }
}
