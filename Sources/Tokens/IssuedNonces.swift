internal import Crypto
internal import Encoding
internal import Identity

/// Issues nonces that only this installation can create: random bytes and an expiry time with a message authentication
/// code.
///
/// Nonces are not encrypted under the master key: it may encrypt only a limited number of messages (see ``SealedBox``),
/// but clients may request any number of nonces.
///
/// A nonce is the base64url of: master key ID (4 bytes) | random bytes (16) | expiry in microseconds (8) |
/// HMAC-SHA-256, truncated to 16 bytes (RFC 2104 §5).
struct IssuedNonces: Sendable {
    private static let randomLength = 16
    private static let expiryLength = 8
    private static let macLength = 16
    /// The maximum length of a text that is decoded, in characters. An issued nonce has 59.
    private static let lengthLimit = 100

    private let keys: [DerivedKey]

    init(masterKeys: MasterKeys) {
        keys = masterKeys.keys(for: "issued nonces")
    }

    func nonce(until end: Instant, in realm: ID<Realm>) -> String {
        let key = keys[0]
        let content =
            key.masterKeyID + Random.bytes(Self.randomLength)
            + (0..<Self.expiryLength).reversed().map { UInt8(truncatingIfNeeded: end.microseconds >> ($0 * 8)) }
        return Base64URL.encode(content + mac(of: content, under: key, in: realm))
    }

    /// - Returns: the expiry time; `nil` for a nonce that this installation has not issued for this realm.
    func expiry(of raw: String, in realm: ID<Realm>) -> Instant? {
        guard raw.utf8.count <= Self.lengthLimit, let bytes = Base64URL.decode(raw) else { return nil }
        let content = Array(bytes.dropLast(Self.macLength))
        guard
            keys.contains(where: { key in
                content.count == key.masterKeyID.count + Self.randomLength + Self.expiryLength
                    && content.starts(with: key.masterKeyID)
                    && constantTimeEquals(
                        Array(bytes.suffix(Self.macLength)), mac(of: content, under: key, in: realm))
            })
        else { return nil }
        return Instant(microseconds: content.suffix(Self.expiryLength).reduce(0) { $0 << 8 | Int64($1) })
    }

    private func mac(of content: [UInt8], under key: DerivedKey, in realm: ID<Realm>) -> [UInt8] {
        let message = Array("\(realm.rawValue)\u{0}".utf8) + content
        return Array(HMAC.sha256(key: key.bytes, message: message).prefix(Self.macLength))
    }
}
