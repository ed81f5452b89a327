/// Accounts found by identities of other providers. Every call is one statement or one transaction. A write throws
/// ``StoreConflict`` if it was not applied. Every call may throw ``StoreUnavailable``.
public protocol FederationStore: Sendable {
    /// Returns the account that has the identity, and the account that holds the identity's email address.
    func linkingCandidates(
        for identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?)

    /// Applies a decision and opens a session.
    ///
    /// - Returns: the account after the change, and the new session.
    /// - Throws: ``StoreConflict/stale`` if the decision has to be taken again; ``StoreConflict/alreadyUsed``.
    func commit(_ commit: SignInCommit, in realm: ID<Realm>) async throws -> (account: Account, session: Session)

    /// Whether a change of the account's email address can still be undone by the link sent to the earlier address.
    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Applies the merge plan, stores a merge record for the undo, enqueues `notices`, and opens a session of the target.
    /// The source's ID is never assigned again.
    ///
    /// - Returns: the target after the merge, and the new session.
    /// - Throws: ``MergeRefusal``, including ``MergeRefusal/recoveryPending``; ``StoreConflict/stale`` if the accounts no
    ///   longer match the precondition; ``StoreConflict/alreadyUsed``.
    func merge(
        _ merge: AccountMerge, opening commit: MergeCommit, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session)
}

/// A decision that signs a user in, with everything needed to apply it.
public struct SignInCommit: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case signIn(Account)
        /// - Parameters:
        ///   - caller: if the account is the caller's, the caller's session, which has to be alive.
        ///   - takesEmail: an account without an address gets the identity's.
        case link(to: Account, by: Caller?, takesEmail: Bool)
        case reclaim(Account)
        /// - Parameter takesEmail: the account gets the identity's address.
        case create(ID<Account>, takesEmail: Bool)
    }

    public let step: Step
    public let identity: VerifiedIdentity
    /// The replay keys to consume. If one was used before, nothing is applied.
    public let marks: [ReplayKey]
    public let session: ID<Session>
    public let device: String?
    public let networkHash: [UInt8]?
    public let trace: RequestTrace
    public let enteredAt: Instant
    /// The emails to enqueue with the change.
    public let emailBatch: EmailBatch

    public init(
        step: Step, identity: VerifiedIdentity, marks: [ReplayKey], session: ID<Session>,
        device: String?, networkHash: [UInt8]?, trace: RequestTrace, enteredAt: Instant,
        emailBatch: EmailBatch = EmailBatch()
    ) {
        self.step = step
        self.identity = identity
        self.marks = marks
        self.session = session
        self.device = device
        self.networkHash = networkHash
        self.trace = trace
        self.enteredAt = enteredAt
        self.emailBatch = emailBatch
    }

    /// The generation of the account for the opened session.
    public var authenticatedAt: Instant {
        guard case .link(_, let caller?, _) = step else { return enteredAt }
        return caller.authenticatedAt(linkingAt: enteredAt)
    }
}
