internal import Crypto
internal import Encoding
internal import FoundationEssentials
internal import Identity

extension AppleGrantSealing {
    /// Creates random IDs for grants (stored codes and tokens of Apple), and encrypts their codes and tokens under the
    /// master key.
    static func sealing(under masterKeys: MasterKeys) -> AppleGrantSealing {
        let box = SealedBox(keys: masterKeys)
        return AppleGrantSealing {
            ID(UUIDText.text(UUID()))
        } seal: { token, id in
            try box.seal(Array(token.expose().utf8), context: context(of: id))
        } open: { sealed, id in
            Secret(String(decoding: try box.open(sealed, context: context(of: id)), as: UTF8.self))
        }
    }

    /// The row and column that the ciphertext of a token is bound to.
    static func context(of id: ID<AppleGrant>) -> String { "apple_grant/\(id)/token" }
}
