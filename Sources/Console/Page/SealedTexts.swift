/// Encrypts texts about persons that URLs of pages must contain, because browsers keep URLs and proxies log them.
package struct SealedTexts: Sendable {
    let seal: @Sendable (_ text: String, _ realm: RealmName) throws -> String
    /// Returns `nil` for a token that is malformed, forged, expired or of another realm.
    let open: @Sendable (_ token: String, _ realm: RealmName) -> String?

    package init(
        seal: @escaping @Sendable (_ text: String, _ realm: RealmName) throws -> String,
        open: @escaping @Sendable (_ token: String, _ realm: RealmName) -> String?
    ) {
        self.seal = seal
        self.open = open
    }

    package func sealed(_ text: String, in realm: RealmName) throws -> String { try seal(text, realm) }

    package func opened(_ token: String, in realm: RealmName) -> String? { open(token, realm) }
}
