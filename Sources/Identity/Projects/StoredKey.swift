/// A key that signs the gateway's own tokens. Its private or secret part is encrypted.
public struct StoredKey: Hashable, Sendable {
    public enum Purpose: String, Sendable {
        case idToken = "id-token"
        case refreshToken = "refresh-token"
    }

    public let id: String
    public let purpose: Purpose
    /// The JOSE name: `ES256`, `RS256`, or `HS256` for refresh tokens.
    public let algorithm: String
    public let sealedPrivateKey: [UInt8]
    /// PEM; only for ``Purpose/idToken``.
    public let certificate: String?
    public let createdAt: Instant
    /// From this time on, the key may sign new tokens. If several keys may sign, the one with the latest time signs.
    public let signsFrom: Instant
    /// From this time on, tokens signed with the key are rejected; `nil` if the key is not going to be retired.
    public let retiresAt: Instant?

    public init(
        id: String, purpose: Purpose, algorithm: String, sealedPrivateKey: [UInt8], certificate: String?,
        createdAt: Instant, signsFrom: Instant, retiresAt: Instant?
    ) {
        self.id = id
        self.purpose = purpose
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.certificate = certificate
        self.createdAt = createdAt
        self.signsFrom = signsFrom
        self.retiresAt = retiresAt
    }
}
