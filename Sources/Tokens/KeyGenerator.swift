public import Crypto
public import Identity
internal import JOSE

/// Generates the keys of the gateway's own tokens, encrypted for storage.
public struct KeyGenerator: Sendable {
    private let masterKeys: MasterKeys

    public init(masterKeys: MasterKeys) {
        self.masterKeys = masterKeys
    }

    /// Generates a key pair for ID tokens with its RFC 7638 thumbprint as ID, and a certificate valid for ten years.
    public func idTokenKey(
        _ algorithm: SignatureAlgorithm, in project: ID<Project>, at now: Instant, signsFrom: Instant
    ) throws -> StoredKey {
        let key = try PrivateKey.generate(algorithm)
        let id = JWK.thumbprint(of: key.publicKey)
        return StoredKey(
            id: id, purpose: .idToken, algorithm: algorithm.rawValue,
            sealedPrivateKey: try seal(key.pkcs8, id, in: project),
            // Valid from five minutes ago, for verifiers whose clocks are slow.
            certificate: try Certificate.selfSigned(
                for: key, commonName: project.rawValue, notBefore: now.seconds - 300,
                notAfter: now.seconds + 10 * 365 * 86_400, serial: Random.bytes(16)),
            createdAt: now, signsFrom: signsFrom, retiresAt: nil)
    }

    /// Generates a key for the message authentication code of refresh tokens, with eight hexadecimal digits as ID.
    public func refreshTokenKey(in project: ID<Project>, at now: Instant, signsFrom: Instant) throws -> StoredKey {
        let id = RefreshTokenCodec.keyID(Random.bytes(4))
        return StoredKey(
            id: id, purpose: .refreshToken, algorithm: "HS256",
            sealedPrivateKey: try seal(Random.bytes(32), id, in: project), certificate: nil, createdAt: now,
            signsFrom: signsFrom, retiresAt: nil)
    }

    private func seal(_ secret: [UInt8], _ id: String, in project: ID<Project>) throws -> [UInt8] {
        try SealedBox(keys: masterKeys).seal(secret, context: StoredKey.context(id, in: project))
    }
}
