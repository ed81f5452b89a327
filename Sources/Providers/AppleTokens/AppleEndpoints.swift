/// The URLs at which Apple redeems codes, checks and revokes tokens, and migrates users to another team. They are fixed
/// at start, like those of other providers.
public struct AppleEndpoints: Sendable {
    public let tokenURL: String
    public let revocationURL: String
    public let migrationURL: String
    /// The audience of client secrets.
    public let audience: String

    /// - Parameters:
    ///   - base: the beginning of all URLs, without a slash at the end.
    ///   - audience: the audience of client secrets.
    public init(base: String, audience: String = "https://appleid.apple.com") {
        tokenURL = base + "/auth/token"
        revocationURL = base + "/auth/revoke"
        migrationURL = base + "/auth/usermigrationinfo"
        self.audience = audience
    }

    public static let live = AppleEndpoints(base: "https://appleid.apple.com")
}
