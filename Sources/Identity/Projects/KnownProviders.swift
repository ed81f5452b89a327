extension ProviderID {
    /// Whether this release can be configured to take this provider's word.
    public var canBeConfigured: Bool {
        self == .apple || self == .google || rawValue.wholeMatch(of: /oidc\.[a-z0-9-]{1,32}/) != nil
    }

    /// Whether an app may name it among its ways to sign in.
    public var canBeShown: Bool { self == .password || self == .anonymous || canBeConfigured }
}

extension App {
    /// The audiences that this provider's tokens may have when this app sends them.
    public func audiences(of provider: ProviderSettings) -> [String] {
        settings.clientIDs[provider.provider.rawValue] ?? provider.clientIDs
    }
}

extension AppleSettings {
    /// Whether `text` has the form of a team's or a key's id: ten capitals and digits.
    static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[A-Z0-9]{10}/) != nil }

    var isWhole: Bool { Self.isID(teamID) && Self.isID(keyID) }
}
