internal import Encoding
internal import Identity

extension UserProfile {
    /// The maximum length of a URL, in bytes.
    private static let urlLimit = 2048

    init(_ claims: IdentityTokenClaims) {
        self.init(
            name: PersonName(given: claims.text("given_name"), family: claims.text("family_name")),
            // `PersonName` removes control and formatting characters, and truncates the name.
            displayName: PersonName(given: claims.text("name"), family: nil)?.full,
            photoURL: claims.text("picture").flatMap { Self.canBeShown($0) ? PhotoURL($0) : nil })
    }

    /// Whether a URL is safe to show: it has the scheme https, is not too long, and has no character that could end an
    /// HTML attribute.
    fileprivate static func canBeShown(_ url: String) -> Bool {
        url.utf8.count <= urlLimit && url.beginsExactly(with: "https://")
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""'<>\^`{|}"#.utf8.contains($0) }
    }
}

extension IdentityTokenClaims {
    /// The nonce in the token of a provider that returns nonces unchanged; `nil` if there is none, or if its length is
    /// not valid.
    var nonce: String? {
        text("nonce").flatMap { VerifiedToken.nonceLengths.contains($0.utf8.count) ? $0 : nil }
    }
}
