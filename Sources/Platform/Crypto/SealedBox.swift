public enum SealFault: Error, Equatable {
    /// Not an envelope of a version we know.
    case malformed
    /// Sealed with a key that is neither the current nor the previous one.
    case unknownKey
    /// Altered, or moved here from another place.
    case doesNotOpen
}

/// Seals secrets for storage: AES-256-GCM, bound to the place they are stored in.
///
/// Envelope: version (1 byte) | key id (4) | nonce (12) | ciphertext | tag (16). Nonces are random, so one key
/// may seal about 2^32 times.
public struct SealedBox: Sendable {
    private static let version: UInt8 = 1
    private static let headerLength = 1 + MasterKeys.idLength

    private let keys: MasterKeys

    public init(keys: MasterKeys) { self.keys = keys }

    /// - Parameter context: names the place: table, row and column. Opening takes the same.
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
        throw .doesNotOpen
    }

    /// What was sealed under the previous master key, under the current one.
    ///
    /// - Returns: `nil` for what is sealed under the current one already.
    public func resealed(_ sealed: [UInt8], context: String) throws -> [UInt8]? {
        guard !isSealedWithCurrent(sealed) else { return nil }
        return try seal(try open(sealed, context: context), context: context)
    }

    /// `false` also for what is no envelope.
    public func isSealedWithCurrent(_ sealed: [UInt8]) -> Bool {
        sealed.starts(with: [Self.version] + keys.current.id)
    }

    private static func associated(_ header: ArraySlice<UInt8>, _ context: String) -> [UInt8] {
        let context = Array(context.utf8)
        return header + (0..<4).reversed().map { UInt8(truncatingIfNeeded: context.count >> ($0 * 8)) } + context
    }
}
