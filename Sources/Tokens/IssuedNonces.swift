internal import Crypto
internal import Encoding
internal import Identity

/// Nonces that only this installation can issue: random bytes and an expiry time with a message authentication code.
///
/// Clients may request any number of them, so they use no encryption under the master key, whose random nonces limit the
/// number of encryptions.
///
/// Base64url of: master key ID (4 bytes) | random bytes (16) | expiry in microseconds (8) | HMAC-SHA-256, cut to 16 bytes
/// (RFC 2104 §5).
struct IssuedNonces: Sendable {
    private static let randomLength = 16
    private static let endLength = 8
    private static let codeLength = 16

    private let keys: [DerivedKey]

    init(masterKeys: MasterKeys) {
        keys = masterKeys.keys(for: "issued nonces")
    }

    func nonce(until end: Instant, in realm: ID<Realm>) -> String {
        let key = keys[0]
        let content =
            key.masterKeyID + Random.bytes(Self.randomLength)
            + (0..<Self.endLength).reversed().map { UInt8(truncatingIfNeeded: end.microseconds >> ($0 * 8)) }
        return Base64URL.encode(content + code(of: content, under: key, in: realm))
    }

    /// - Returns: `nil` for a nonce that this installation has not issued for this project.
    func end(of raw: String, in realm: ID<Realm>) -> Instant? {
        guard raw.utf8.count < 100, let bytes = Base64URL.decode(raw) else { return nil }
        let content = Array(bytes.dropLast(Self.codeLength))
        guard
            keys.contains(where: { key in
                content.count == key.masterKeyID.count + Self.randomLength + Self.endLength
                    && content.starts(with: key.masterKeyID)
                    && constantTimeEquals(
                        Array(bytes.suffix(Self.codeLength)), code(of: content, under: key, in: realm))
            })
        else { return nil }
        return Instant(microseconds: content.suffix(Self.endLength).reduce(0) { $0 << 8 | Int64($1) })
    }

    private func code(of content: [UInt8], under key: DerivedKey, in realm: ID<Realm>) -> [UInt8] {
        let message = Array("\(realm.rawValue)\u{0}".utf8) + content
        return Array(HMAC.sha256(key: key.bytes, message: message).prefix(Self.codeLength))
    }
}
