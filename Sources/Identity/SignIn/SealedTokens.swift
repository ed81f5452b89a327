/// Creates and verifies the short-lived tokens that the client keeps for the gateway. They are not stored; a single-use
/// token leaves its ``ReplayKey`` when it is used.
public protocol SealedTokens: Sendable {
    func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce

    /// - Returns: `nil` if the nonce is the client's own.
    /// - Throws: ``ProviderRefusal/nonce(_:)`` for an expired nonce of the gateway.
    func replayKey(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey?

    func encode(_ content: some SealedTokenContent, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/invalidPendingToken``, also for a token with other content.
    func decode<Content: SealedTokenContent>(
        _ type: Content.Type, from token: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (Content, ReplayKey)
}

/// The content of a sealed token.
public protocol SealedTokenContent: Codable, Sendable {
    /// Different for each type, so that no token is accepted in place of one with other content.
    static var purpose: String { get }
}

/// A single-use nonce.
public struct IssuedNonce: Hashable, Sendable {
    public let raw: String
    /// In lower-case hexadecimal, for a native app's request to Apple.
    public let sha256: String
    public let expiresAt: Instant

    public init(raw: String, sha256: String, expiresAt: Instant) {
        self.raw = raw
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// A verified identity that could not be used yet, because that would be unsafe or ambiguous: the content of a pending
/// token.
public struct PendingCredential: Hashable, SealedTokenContent {
    public enum Use: Hashable, Codable, Sendable {
        /// As valid as the credential itself: to sign in, link, or merge.
        case any
        /// Only for linking to this account by its owner, while the account has this generation.
        case link(to: ID<Account>, generation: Int64)
    }

    public static let purpose = "pending-credential"

    public let identity: VerifiedIdentity
    public let use: Use
}
