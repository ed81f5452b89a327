/// Creates and verifies the short-lived tokens that the client keeps for the gateway. They are not stored; a single-use
/// token leaves its ``ReplayKey`` when it is used.
public protocol SealedTokens: Sendable {
    func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce

    /// - Returns: `nil` if the nonce is the client's own.
    /// - Throws: ``ProviderRefusal/nonce(_:)`` for an expired nonce of the gateway.
    func mark(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey?

    func ticket(for pending: PendingCredential, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/invalidPendingToken``.
    func pending(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (PendingCredential, ReplayKey)

    func ticket(for proposal: MergeTokenPayload, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/invalidPendingToken``.
    func proposal(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (MergeTokenPayload, ReplayKey)

    /// For an administrator. Clients cannot use it.
    func ticket(for terms: MergePrecondition, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/invalidPendingToken``.
    func terms(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (MergePrecondition, ReplayKey)
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

/// A verified identity that could not be used yet, because that would be unsafe or ambiguous.
public struct PendingCredential: Hashable, Codable, Sendable {
    public enum Use: Hashable, Codable, Sendable {
        /// As valid as the credential itself: to sign in, link, or merge.
        case any
        /// Only for linking to this account by its owner, while the account has this generation.
        case link(to: ID<Account>, generation: Int64)
    }

    public let identity: VerifiedIdentity
    public let use: Use

    public init(identity: VerifiedIdentity, use: Use) {
        self.identity = identity
        self.use = use
    }
}
