public import Identity

/// What our tokens say in `iss`. The two are never alike: that is what keeps a session cookie from passing for an ID
/// token, and the other way round (RFC 8725 §3.12).
public struct Issuers: Sendable {
    let idTokens: @Sendable (ID<Project>) -> String
    let sessionCookies: @Sendable (ID<Project>) -> String

    /// Ours, under the address where the gateway is reached.
    ///
    /// - Parameter publicURL: without a slash at the end.
    public static func own(_ publicURL: String) -> Issuers {
        Issuers(idTokens: { "\(publicURL)/\($0)" }, sessionCookies: { "\(publicURL)/\($0)/session" })
    }

    /// Firebase's, for clients that were told no other.
    public static let firebase = Issuers(
        idTokens: { "https://securetoken.google.com/\($0)" },
        sessionCookies: { "https://session.firebase.google.com/\($0)" })

    /// Of ID tokens.
    public func idToken(_ project: ID<Project>) -> String { idTokens(project) }
}
