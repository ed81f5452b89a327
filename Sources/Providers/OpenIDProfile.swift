internal import Identity

/// What a token tells of a person for showing (OpenID Connect Core 1.0 §5.1).
struct OpenIDProfile: Sendable {
    /// Of a URL, in bytes.
    private static let urlLimit = 2048

    let name: PersonName?
    let displayName: String?
    let photoURL: String?

    init(_ claims: IdentityTokenClaims) {
        name = PersonName(given: claims.text("given_name"), family: claims.text("family_name"))
        // Cleaned and cut as a part of a name is.
        displayName = PersonName(given: claims.text("name"), family: nil)?.full
        photoURL = claims.text("picture").flatMap { Self.canBeShown($0) ? $0 : nil }
    }

    /// Only what a page can load without giving anything away: https, and nothing that could end an attribute.
    static func canBeShown(_ url: String) -> Bool {
        url.hasPrefix("https://") && url.utf8.count <= urlLimit
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""'<>\^`{|}"#.utf8.contains($0) }
    }

    /// The token's nonce, as the app or the gateway made it: these providers hand it back as it was sent.
    static func nonce(_ claims: IdentityTokenClaims) -> String? {
        claims.text("nonce").flatMap { NonceRules.lengths.contains($0.utf8.count) ? $0 : nil }
    }
}
