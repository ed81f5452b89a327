/// A project's configuration of one provider. The private key or client secret is stored separately, encrypted.
public struct ProviderSettings: Hashable, Sendable {
    public let provider: ProviderID
    public var isEnabled: Bool
    /// The allowed audiences of its tokens: bundle IDs, Services IDs, OAuth client IDs. Never empty.
    public var clientIDs: [String]
    /// Whether a private key or client secret is stored.
    public var hasSecret: Bool
    public var apple: AppleSettings?
    /// For a provider that ``ProviderID/isGenericOpenID``.
    public var openID: OpenIDSettings?
    /// `nil` if no administrator has stated it; see ``relation``.
    public var statedRelation: ProviderRelation?
    /// For Google only: the Workspace domains (the claim `hd`) whose accounts are accepted; empty accepts all accounts.
    public var hostedDomains: [String]

    public init(
        provider: ProviderID, isEnabled: Bool, clientIDs: [String], hasSecret: Bool = false,
        apple: AppleSettings? = nil, openID: OpenIDSettings? = nil, statedRelation: ProviderRelation? = nil,
        hostedDomains: [String] = []
    ) {
        self.provider = provider
        self.isEnabled = isEnabled
        self.clientIDs = clientIDs
        self.hasSecret = hasSecret
        self.apple = apple
        self.openID = openID
        self.statedRelation = statedRelation
        self.hostedDomains = hostedDomains
    }
}

/// Settings that only Apple has.
public struct AppleSettings: Hashable, Sendable {
    /// Ten characters.
    public var teamID: String
    /// The ID of the private key that signs client secrets; ten characters.
    public var keyID: String
    /// Whether a token's nonce may also equal the unhashed nonce, for apps that do not hash it.
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
    /// Whether its `email_verified` claim is trusted.
    public var trustsEmail: Bool

    public init(issuer: String, displayName: String? = nil, trustsEmail: Bool = false) {
        self.issuer = issuer
        self.displayName = displayName
        self.trustsEmail = trustsEmail
    }
}
