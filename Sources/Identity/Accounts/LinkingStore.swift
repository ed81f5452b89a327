/// Identities and merges as administrators handle them. Every call is one statement or one transaction, and may throw
/// ``StoreUnavailable``.
public protocol LinkingStore: Sendable {
    /// - Returns: in the order in which they were linked; `nil` if there is no such account.
    func identities(of account: ID<Account>, in realm: ID<Realm>) async throws -> [DatedIdentity]?

    /// Changes an identity and emits its events. The sessions that were opened through a removed identity end.
    ///
    /// - Returns: the identity after the change, or as it was before its removal.
    /// - Throws: ``IdentityRefusal``.
    func carryOut(
        _ change: IdentityChange, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> DatedIdentity

    func accounts(_ ids: [ID<Account>], in realm: ID<Realm>) async throws -> [Account]

    /// Applies the merge plan, stores a merge record for the undo, and enqueues `notices`. The source's ID is never
    /// assigned again. A merge token that was used before returns the first result while that can still be undone.
    ///
    /// - Returns: until when the merge can be undone.
    /// - Throws: ``StoreConflict/stale`` if the accounts no longer match the precondition; ``StoreConflict/alreadyUsed``.
    func merge(
        _ merge: AccountMerge, by actor: AuditActor, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> Instant

    /// Restores the source, and removes from the target what the merge gave it. Every session of the target ends.
    ///
    /// - Returns: the target's ID.
    /// - Throws: ``UndoRefusal``; ``StoreConflict/notFound``; ``StoreConflict/taken(_:)``.
    func undoMerge(
        of source: ID<Account>, leavesNoWayIn: Bool, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> ID<Account>
}

/// An identity with the time at which it was linked to the account.
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
