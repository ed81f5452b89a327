/// How somebody proved who they are: the wire's `providerId` and the token's `sign_in_provider`.
public struct ProviderID: Hashable, Codable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    public static let anonymous = ProviderID("anonymous")
    /// Sign in with Apple.
    public static let apple = ProviderID("apple.com")
    /// A token of the app's own backend.
    public static let custom = ProviderID("custom")
    /// A link sent to the account's mailbox: a way in beside the password, for which tokens say `password`.
    public static let emailLink = ProviderID("emailLink")
    public static let google = ProviderID("google.com")
    public static let password = ProviderID("password")
    public static let phone = ProviderID("phone")

    /// A provider of the operator's choice that speaks OpenID Connect: `oidc.` and a name of its own.
    public var isGenericOpenID: Bool { rawValue.hasPrefix("oidc.") }

    /// Somebody else's login service, as guideline 4.8 means it.
    public var isSocial: Bool { self == .google || isGenericOpenID }
}
