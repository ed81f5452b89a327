/// The method by which a user signed in: the wire's `providerId` and the token's `sign_in_provider`.
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
    /// A link sent to the account's mailbox: an alternative to the password, and named `password` in tokens.
    public static let emailLink = ProviderID("emailLink")
    public static let google = ProviderID("google.com")
    public static let password = ProviderID("password")
    public static let phone = ProviderID("phone")

    /// An OpenID Connect provider that the operator configures: `oidc.` and a name.
    public var isGenericOpenID: Bool { rawValue.hasPrefix("oidc.") }

    /// Whether its identities are those of another service; guideline 4.8 is about such providers.
    public var isProvider: Bool { self == .apple || self == .google || isGenericOpenID }
}
