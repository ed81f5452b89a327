extension ProviderID {
    /// Whether this release can verify tokens of this provider.
    public var canBeConfigured: Bool {
        self == .apple || self == .google || rawValue.wholeMatch(of: /oidc\.[a-z0-9-]{1,32}/) != nil
    }

    /// Whether an issuer is that of Apple or Google. The host decides, because an issuer with another path would not be
    /// another provider.
    static func isBuiltIn(issuer: String) -> Bool {
        guard let match = issuer.lowercased().prefixMatch(of: /(?:https?:\/\/)?([a-z0-9.-]+)/) else { return false }
        let host = match.1.hasSuffix(".") ? match.1.dropLast() : match.1
        return host == "appleid.apple.com" || host == "accounts.google.com"
    }

    /// Whether an app may list the provider among its sign-in methods.
    public var canBeShown: Bool { self == .password || self == .anonymous || canBeConfigured }
}

extension AppleSettings {
    /// Whether `text` has the form of a team ID or key ID: ten upper-case letters and digits.
    public static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[A-Z0-9]{10}/) != nil }

    var isWhole: Bool { Self.isID(teamID) && Self.isID(keyID) }
}
