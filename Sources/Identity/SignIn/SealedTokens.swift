/// Makes and reads what a client keeps for us for some minutes. Nothing of it is stored; what counts once leaves its
/// ``ReplayKey`` when it is used.
public protocol SealedTokens: Sendable {
    func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce

    /// - Returns: `nil` for a nonce that is not ours: the client's own.
    /// - Throws: ``ProviderRefusal/nonce(_:)`` for one of ours that is too old.
    func mark(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey?

    func ticket(for pending: PendingCredential, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/ticketNotBelieved``.
    func pending(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (PendingCredential, ReplayKey)

    func ticket(for proposal: MergeTokenPayload, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/ticketNotBelieved``.
    func proposal(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (MergeTokenPayload, ReplayKey)

    /// For an administrator: good for nothing that a client may do.
    func ticket(for terms: MergePrecondition, until end: Instant, in realm: ID<Realm>) throws -> String

    /// - Throws: ``ProviderRefusal/ticketNotBelieved``.
    func terms(_ ticket: String, at now: Instant, in realm: ID<Realm>) throws -> (MergePrecondition, ReplayKey)
}

/// A nonce that counts once.
public struct IssuedNonce: Hashable, Sendable {
    public let raw: String
    /// In lower-case hexadecimal: what a native app hands to Apple.
    public let sha256: String
    public let expiresAt: Instant

    public init(raw: String, sha256: String, expiresAt: Instant) {
        self.raw = raw
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// A proven identity kept because using it now would be unsafe or ambiguous.
public struct PendingCredential: Hashable, Codable, Sendable {
    public enum Use: Hashable, Codable, Sendable {
        /// As good as the credential itself: to sign in, to link, to merge.
        case any
        /// Only to be linked to this account by its owner, while the account is of this generation.
        case link(to: ID<Account>, generation: Int64)
    }

    public let identity: VerifiedIdentity
    public let use: Use

    public init(identity: VerifiedIdentity, use: Use) {
        self.identity = identity
        self.use = use
    }
}
