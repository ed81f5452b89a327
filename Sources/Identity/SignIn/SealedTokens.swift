/// Creates and verifies the short-lived tokens that the client keeps for the gateway. The gateway does not store them.
/// It stores only the ``ReplayKey`` of a single-use token that was used.
public protocol SealedTokens: Sendable {
    func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce

    /// - Returns: `nil` if the gateway did not issue the nonce.
    /// - Throws: ``ProviderRefusal/nonce(_:)`` for an expired nonce of the gateway.
    func replayKey(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey?

    func encode(_ content: some SealedTokenContent, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``SealedTokenContent/invalidRefusal`` unless `token` is a valid token with content of this type.
    func decode<Content: SealedTokenContent>(
        _ type: Content.Type, from token: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (Content, ReplayKey)
}

/// The content of a sealed token.
public protocol SealedTokenContent: Codable, Sendable {
    /// The kind of content. It differs for each type, so that no token is accepted in place of another kind.
    static var purpose: String { get }
    /// The refusal of a token that is malformed, forged, expired, or of another realm or purpose.
    static var invalidRefusal: any Refusal { get }
}

extension SealedTokenContent {
    public static var invalidRefusal: any Refusal { ProviderRefusal.invalidPendingToken }
}

/// A single-use nonce.
public struct IssuedNonce: Hashable, Sendable {
    public let raw: String
    /// The SHA-256 of ``raw`` in lower-case hexadecimal, for a native app's request to Apple.
    public let sha256: String
    public let expiresAt: Instant

    public init(raw: String, sha256: String, expiresAt: Instant) {
        self.raw = raw
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}
