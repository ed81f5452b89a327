/// How somebody proved who they are: the wire's `providerId` and the token's `sign_in_provider`.
public struct ProviderID: Hashable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    public static let anonymous = ProviderID("anonymous")
    /// A token of the app's own backend.
    public static let custom = ProviderID("custom")
    public static let password = ProviderID("password")
    public static let phone = ProviderID("phone")
}
