public import Identity

/// The values of `iss` in ID tokens and session cookies. They differ, so that one cannot be used as the other
/// (RFC 8725 §3.12).
public struct Issuers: Sendable {
    let idTokens: @Sendable (ID<Project>) -> String
    let sessionCookies: @Sendable (ID<Project>) -> String

    /// Issuers under the URL of the gateway.
    ///
    /// - Parameter publicURL: without a slash at the end.
    public static func own(_ publicURL: String) -> Issuers {
        Issuers(idTokens: { "\(publicURL)/\($0)" }, sessionCookies: { "\(publicURL)/\($0)/session" })
    }

    /// Firebase's issuers, for clients of the emulator.
    public static let firebase = Issuers(
        idTokens: { "https://securetoken.google.com/\($0)" },
        sessionCookies: { "https://session.firebase.google.com/\($0)" })

    /// The issuer of ID tokens.
    public func idToken(_ project: ID<Project>) -> String { idTokens(project) }
}
