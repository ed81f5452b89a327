/// Finds and changes accounts for sign-ins with identities, and for merges. Every call is one statement or one
/// transaction. A write throws ``StoreConflict`` if it was not applied. Every call may throw ``StoreUnavailable``.
public protocol FederationStore: Sendable {
    /// Returns the account that has the identity, and the account that holds the identity's email address.
    ///
    /// - Throws: ``ProviderRefusal/voidCredential`` for a credential that was issued before the user disconnected the
    ///   app or deleted the account at the provider.
    func linkingCandidates(
        for identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?)

    /// Applies a decision and opens the session.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/stale`` if the decision has to be made again; ``StoreConflict/alreadyUsed``.
    func commit(_ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account

    /// Whether a change of the account's email address can still be undone by the link sent to the earlier address.
    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Whether the account has an ``EarlierMailbox``.
    func hasEarlierMailbox(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Applies the merge plan, stores a merge record for the undo, enqueues `notices`, and opens the session of
    /// `signIn` for the target. The ID of the source, which the merge deletes, is reserved as after a deletion.
    ///
    /// - Returns: the new session, with the target after the merge.
    /// - Throws: ``MergeRefusal``, including ``MergeRefusal/recoveryPending``; ``StoreConflict/stale`` if the accounts
    ///   no longer match the precondition, or a condition of `signIn` no longer holds; ``StoreConflict/alreadyUsed``.
    func merge(
        _ merge: AccountMerge, with signIn: MergeSignIn, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> OpenedSession
}
