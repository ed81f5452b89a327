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
    private let nonces: IssuedNonces

    public init(masterKeys: MasterKeys) {
        box = PerMessageKeyBox(keys: masterKeys, purpose: "sealed tokens")
        nonces = IssuedNonces(masterKeys: masterKeys)
    }

    /// The encrypted part of a token.
    private struct Envelope<Content: Codable>: Codable {
        let content: Content
        /// When the token expires.
        let end: Instant
    }

    public func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce {
        let raw = nonces.nonce(until: end, in: realm)
        return IssuedNonce(raw: raw, sha256: Hexadecimal.encode(Digest.sha256(Array(raw.utf8))), expiresAt: end)
    }

    public func replayKey(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey? {
        guard let end = nonces.expiry(of: raw, in: realm) else { return nil }
        guard end > now else { throw ProviderRefusal.nonce(.expired) }
        return replayKey(of: raw, until: end)
    }

    public func encode<Content: SealedTokenContent>(
        _ content: Content, until end: Instant, in realm: ID<Realm>
    ) throws -> String {
        let envelope = try StrictJSON.encode(Envelope(content: content, end: end))
        return Base64URL.encode(try box.seal(envelope, context: context(Content.self, realm)))
    }

    public func decode<Content: SealedTokenContent>(
        _ type: Content.Type, from token: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (Content, ReplayKey) {
        guard token.utf8.count <= Self.lengthLimit, let sealed = Base64URL.decode(token),
            // Fails for a token that was not encrypted for this content and realm.
            let opened = try? box.open(sealed, context: context(type, realm)),
            // A payload that another release encoded differently is rejected like an expired one.
            let envelope = try? StrictJSON.decode(Envelope<Content>.self, from: opened), envelope.end > now
        else { throw Content.invalidRefusal }
        return (envelope.content, replayKey(of: token, until: envelope.end))
    }

    private func replayKey(of token: String, until end: Instant) -> ReplayKey {
        ReplayKey(hash: Digest.sha256(Array(token.utf8)), expiresAt: end)
    }

    private func context<Content: SealedTokenContent>(_ type: Content.Type, _ realm: ID<Realm>) -> String {
        "sealed token/\(type.purpose)/\(realm)"
    }
}
