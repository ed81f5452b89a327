/// Identities and merges as administrators handle them. Every call is one statement or one transaction, and may throw
/// ``StoreUnavailable``.
public protocol LinkingStore: Sendable {
    /// - Returns: in the order in which they were linked; `nil` if there is no such account.
    func identities(of account: ID<Account>, in realm: ID<Realm>) async throws -> [DatedIdentity]?

    /// Tells of it, and records it. An account that loses an identity loses the sessions that were opened through it.
    ///
    /// - Returns: the identity as it is now, or was when it went.
    /// - Throws: ``IdentityRefusal``.
    func carryOut(
        _ change: IdentityChange, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> DatedIdentity

    func accounts(_ ids: [ID<Account>], in realm: ID<Realm>) async throws -> [Account]

    /// Moves what the plan says, keeps the source for undoing it, and posts `notices`. The source's id is never given again.
    func merge(
        _ merge: AccountMerge, by actor: AuditActor, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> MergeOutcome

    /// Brings the source back, and takes from the target what it got of it. Every session of the target ends.
    ///
    /// - Returns: the target's id.
    /// - Throws: ``UndoRefusal``.
    func undoMerge(
        of source: ID<Account>, leavesNoWayIn: Bool, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> ID<Account>
}

/// An identity, and when it became the account's.
public struct DatedIdentity: Hashable, Sendable {
    public let identity: LinkedIdentity
    public let account: ID<Account>
    public let linkedAt: Instant

    public init(identity: LinkedIdentity, account: ID<Account>, linkedAt: Instant) {
        self.identity = identity
        self.account = account
        self.linkedAt = linkedAt
    }
}

public enum MergeOutcome: Hashable, Sendable {
    /// It can be undone until then.
    case done(undoableUntil: Instant)
    /// The plan would be another one by now.
    case stale
    /// The token was used before.
    case used(stillUndoableUntil: Instant?)
}
