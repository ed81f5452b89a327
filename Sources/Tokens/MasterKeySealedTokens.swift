public import Crypto
internal import Encoding
public import Identity
internal import JSON

/// Creates and verifies ``SealedTokens`` (short-lived tokens that clients keep for the gateway) with the master key.
/// Clients can neither read nor forge a token, nor use it for another purpose or realm.
///
/// Each token is encrypted with its own key, which is derived from the master key: a single key may encrypt only a
/// limited number of messages, but clients may request any number of tokens.
public struct MasterKeySealedTokens: SealedTokens {
    /// The maximum length of a token, in characters.
    private static let lengthLimit = 64 * 1024

    private let box: PerMessageKeyBox
    /// The keys of the authentication codes of nonces, that of the current master key first.
    private let nonceKeys: [DerivedKey]

    public init(masterKeys: MasterKeys) {
        box = PerMessageKeyBox(keys: masterKeys, purpose: "sealed tokens")
        nonceKeys = masterKeys.keys(for: "issued nonces")
    }

    /// The encrypted part of a token.
    private struct Envelope<Content: Codable>: Codable {
        let content: Content
        /// When the token expires, in microseconds.
        let end: Int64

        /// The names are short, because pages repeat tokens.
        enum CodingKeys: String, CodingKey {
            case content = "c"
            case end = "e"
        }
    }

    public func encode<Content: SealedTokenContent>(
        _ content: Content, until end: Instant, in realm: ID<Realm>
    ) throws -> String {
        let envelope = try StrictJSON.encode(Envelope(content: content, end: end.microseconds))
        return Base64URL.encode(try box.seal(envelope, context: context(Content.self, realm)))
    }

    public func decode<Content: SealedTokenContent>(
        _ type: Content.Type, from token: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (Content, ReplayKey) {
        guard token.utf8.count <= Self.lengthLimit, let sealed = Base64URL.decode(token),
            // Fails for a token that was not encrypted for this content and realm.
            let opened = try? box.open(sealed, context: context(type, realm)),
            // A payload that another release encoded differently is rejected like an expired one.
            let envelope = try? StrictJSON.decode(Envelope<Content>.self, from: opened)
        else { throw Content.invalidRefusal }
        let end = Instant(microseconds: envelope.end)
        guard end > now else { throw Content.invalidRefusal }
        return (envelope.content, replayKey(of: token, until: end))
    }

    private func replayKey(of token: String, until end: Instant) -> ReplayKey {
        ReplayKey(hash: Digest.sha256(Array(token.utf8)), expiresAt: end)
    }

    private func context<Content: SealedTokenContent>(_ type: Content.Type, _ realm: ID<Realm>) -> String {
        "sealed token/\(type.purpose)/\(realm)"
    }
}

/// Nonces that only this installation can create: random bytes and an expiry time with a message authentication code.
///
/// Nonces are not encrypted under the master key: it may encrypt only a limited number of messages (see ``SealedBox``),
/// but clients may request any number of nonces.
///
/// A nonce is the base64url of: master key ID (4 bytes) | random bytes (16) | expiry in microseconds (8) |
/// HMAC-SHA-256, truncated to 16 bytes (RFC 2104 §5).
extension MasterKeySealedTokens {
    private static var randomLength: Int { 16 }
    private static var expiryLength: Int { 8 }
    private static var nonceMACLength: Int { 16 }
    /// The maximum length of a text that is decoded, in characters. An issued nonce has 59.
    private static var nonceLengthLimit: Int { 100 }

    public func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce {
        let key = nonceKeys[0]
        let content =
            key.masterKeyID + Random.bytes(Self.randomLength)
            + (0..<Self.expiryLength).reversed().map { UInt8(truncatingIfNeeded: end.microseconds >> ($0 * 8)) }
        let raw = Base64URL.encode(content + nonceMAC(of: content, under: key, in: realm))
        return IssuedNonce(raw: raw, sha256: Hexadecimal.encode(Digest.sha256(Array(raw.utf8))), expiresAt: end)
    }

    public func replayKey(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey? {
        guard let end = expiry(ofNonce: raw, in: realm) else { return nil }
        guard end > now else { throw ProviderRefusal.nonce(.expired) }
        return replayKey(of: raw, until: end)
    }

    /// - Returns: `nil` for a nonce that this installation has not issued for this realm.
    private func expiry(ofNonce raw: String, in realm: ID<Realm>) -> Instant? {
        guard raw.utf8.count <= Self.nonceLengthLimit, let bytes = Base64URL.decode(raw) else { return nil }
        let content = Array(bytes.dropLast(Self.nonceMACLength))
        guard
            nonceKeys.contains(where: { key in
                content.count == key.masterKeyID.count + Self.randomLength + Self.expiryLength
                    && content.starts(with: key.masterKeyID)
                    && constantTimeEquals(
                        Array(bytes.suffix(Self.nonceMACLength)), nonceMAC(of: content, under: key, in: realm))
            })
        else { return nil }
        return Instant(microseconds: content.suffix(Self.expiryLength).reduce(0) { $0 << 8 | Int64($1) })
    }

    private func nonceMAC(of content: [UInt8], under key: DerivedKey, in realm: ID<Realm>) -> [UInt8] {
        let message = Array("\(realm.rawValue)\u{0}".utf8) + content
        return Array(HMAC.sha256(key: key.bytes, message: message).prefix(Self.nonceMACLength))
    }
}
