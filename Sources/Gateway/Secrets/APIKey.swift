internal import Crypto

/// What a client sends as `key`.
package struct APIKey: Sendable {
    package let text: String

    package static func generate() -> APIKey { APIKey(text: "sk_" + Random.text(length: 36)) }

    /// What is stored of it. The key is random, so a plain digest cannot be searched through.
    package var hash: [UInt8] { Digest.sha256(Array(text.utf8)) }
}
