/// Encrypts any number of messages with AES-256-GCM and a separate key for every message.
///
/// Use it for messages that client requests create, because their number has no limit. ``SealedBox`` may encrypt only
/// about 2^32 messages, because its nonces are random and all messages have the same key. Here, the key of a message is
/// the HMAC-SHA-256 of a random salt under a key that is derived from the master key.
///
/// Envelope: version (1 byte) | master key ID (4) | salt (16) | nonce (12) | ciphertext | tag (16).
public struct PerMessageKeyBox: Sendable {
    private static let version: UInt8 = 3
    private static let saltLength = 16
    private static let headerLength = 1 + MasterKeys.idLength + saltLength

    private let keys: [DerivedKey]

    /// - Parameter purpose: separates the derived key from the keys of other boxes; see ``MasterKeys/keys(for:)``.
    public init(keys: MasterKeys, purpose: String) {
        self.keys = keys.keys(for: purpose)
    }

    /// - Parameter context: additional authenticated data. Decryption requires the same text.
    public func seal(_ plaintext: [UInt8], context: String) throws(LibraryFault) -> [UInt8] {
        let header = [Self.version] + keys[0].masterKeyID + Random.bytes(Self.saltLength)
        let nonce = Random.bytes(AESGCM.nonceLength)
        let key = Self.messageKey(for: header, under: keys[0])
        return try header + nonce
            + AESGCM.seal(plaintext, key: key, nonce: nonce, associated: header + Array(context.utf8))
    }

    public func open(_ sealed: [UInt8], context: String) throws(SealFault) -> [UInt8] {
        let bodyStart = Self.headerLength + AESGCM.nonceLength
        guard sealed.count >= bodyStart + AESGCM.tagLength, sealed[0] == Self.version else { throw .malformed }
        let header = Array(sealed[..<Self.headerLength])
        let candidates = keys.filter { header.dropFirst().starts(with: $0.masterKeyID) }
        guard !candidates.isEmpty else { throw .unknownKey }
        for key in candidates {
            let opened = AESGCM.open(
                Array(sealed[bodyStart...]), key: Self.messageKey(for: header, under: key),
                nonce: Array(sealed[Self.headerLength..<bodyStart]), associated: header + Array(context.utf8))
            if let opened { return opened }
        }
        throw .tagMismatch
    }

    /// Returns the key of one message.
    ///
    /// - Parameter header: version, master key ID and salt.
    private static func messageKey(for header: [UInt8], under derivedKey: DerivedKey) -> [UInt8] {
        HMAC.sha256(key: derivedKey.bytes, message: Array(header.suffix(saltLength)))
    }
}
