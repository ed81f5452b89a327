internal import Crypto

/// An API key, which a client sends in the parameter `key`.
package struct APIKey: Sendable {
    package let text: String

    package static func generate() -> APIKey { APIKey(text: "sk_" + Random.text(length: 36)) }

    /// The SHA-256 of the key, which is stored instead of the key. A random key cannot be guessed from an unsalted
    /// digest.
    package var hash: [UInt8] { Digest.sha256(Array(text.utf8)) }
}
