extension ProviderID {
    /// Whether this release can verify tokens of this provider.
    public var canBeConfigured: Bool {
        self == .apple || self == .google || rawValue.wholeMatch(of: /oidc\.[a-z0-9-]{1,32}/) != nil
    }

    /// Whether an app may list the provider among its sign-in methods.
    public var canBeShown: Bool { self == .password || self == .anonymous || canBeConfigured }
}

extension AppleSettings {
    /// Whether `text` has the form of a team ID or key ID: ten upper-case letters and digits.
    static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[A-Z0-9]{10}/) != nil }

    var isWhole: Bool { Self.isID(teamID) && Self.isID(keyID) }
}
