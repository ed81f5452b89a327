/// Why a ciphertext of a ``SealedBox`` or a ``PerMessageKeyBox`` cannot be decrypted.
public enum SealFault: Error, Equatable {
    /// The ciphertext is too short, or its version is not that of the box.
    case malformed
    /// Encrypted under a master key that is neither the current nor the previous one.
    case unknownKey
    /// The authentication tag does not match: the ciphertext was modified, or encrypted for another context.
    case tagMismatch
}

/// Encrypts secrets for storage with AES-256-GCM. A ciphertext is bound to the row and column in which it
/// is stored.
///
/// Envelope: version (1 byte) | master key ID (4) | nonce (12) | ciphertext | tag (16). Nonces are random, so one key
/// may encrypt at most about 2^32 secrets (NIST SP 800-38D §8.3).
public struct SealedBox: Sendable {
    private static let version: UInt8 = 1
    private static let headerLength = 1 + MasterKeys.idLength

    private let keys: MasterKeys

    public init(keys: MasterKeys) { self.keys = keys }

    /// - Parameter context: the table, row and column. Decryption requires the same context.
    public func seal(_ plaintext: [UInt8], context: String) throws(LibraryFault) -> [UInt8] {
        let header = [Self.version] + keys.current.id
        let nonce = Random.bytes(AESGCM.nonceLength)
        let sealed = try AESGCM.seal(
            plaintext, key: keys.current.bytes, nonce: nonce, associated: Self.associated(header[...], context))
        return header + nonce + sealed
    }

    public func open(_ sealed: [UInt8], context: String) throws(SealFault) -> [UInt8] {
        let bodyStart = Self.headerLength + AESGCM.nonceLength
        guard sealed.count >= bodyStart + AESGCM.tagLength, sealed[0] == Self.version else { throw .malformed }
        let candidates = keys.keys(withID: sealed[1..<Self.headerLength])
        guard !candidates.isEmpty else { throw .unknownKey }
        let associated = Self.associated(sealed[..<Self.headerLength], context)
        for key in candidates {
            let opened = AESGCM.open(
                Array(sealed[bodyStart...]), key: key.bytes, nonce: Array(sealed[Self.headerLength..<bodyStart]),
                associated: associated)
            if let opened { return opened }
        }
        throw .tagMismatch
    }

    /// Re-encrypts a secret under the current master key.
    ///
    /// - Returns: `nil` if the secret is already encrypted under the current key.
    public func resealed(_ sealed: [UInt8], context: String) throws -> [UInt8]? {
        guard !isSealedWithCurrentKey(sealed) else { return nil }
        return try seal(try open(sealed, context: context), context: context)
    }

    /// Whether `sealed` is encrypted under the current master key; `false` also for bytes that are not an envelope.
    public func isSealedWithCurrentKey(_ sealed: [UInt8]) -> Bool {
        sealed.starts(with: [Self.version] + keys.current.id)
    }

    /// Returns the associated data: the header, the length of the context (4 bytes, big-endian), and the context.
    private static func associated(_ header: ArraySlice<UInt8>, _ context: String) -> [UInt8] {
        let context = Array(context.utf8)
        return header + (0..<4).reversed().map { UInt8(truncatingIfNeeded: context.count >> ($0 * 8)) } + context
    }
}
