public import Crypto
public import Identity
internal import JOSE

/// Makes the keys of the gateway's own tokens, sealed and ready to be stored.
public struct KeyGenerator: Sendable {
    private let masterKeys: MasterKeys

    public init(masterKeys: MasterKeys) {
        self.masterKeys = masterKeys
    }

    /// A key pair for ID tokens, named by its RFC 7638 thumbprint, with a certificate of ten years around it.
    public func idTokenKey(
        _ algorithm: SignatureAlgorithm, in project: ID<Project>, at now: Instant, signsFrom: Instant
    ) throws -> StoredKey {
        let key = try PrivateKey.generate(algorithm)
        let id = JWK.thumbprint(of: key.publicKey)
        return StoredKey(
            id: id, purpose: .idToken, algorithm: algorithm.rawValue,
            sealedPrivateKey: try seal(key.pkcs8, id, in: project),
            certificate: try Certificate.selfSigned(
                for: key, commonName: project.rawValue, notBefore: now.seconds - 300,
                notAfter: now.seconds + 10 * 365 * 86_400, serial: Random.bytes(16)),
            createdAt: now, signsFrom: signsFrom, retiresAt: nil)
    }

    /// A key for the MAC of refresh tokens, named by eight hexadecimal digits.
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
