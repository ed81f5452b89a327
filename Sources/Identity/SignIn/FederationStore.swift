/// Accounts as identities of other providers lead to them. Every call is one statement or one transaction, and may
/// throw ``StoreUnavailable``.
public protocol FederationStore: Sendable {
    /// Whose the identity is, and who holds its address.
    func acquaintances(
        of identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?)

    /// Carries out what was decided, and opens a session.
    func enter(_ entry: SignInCommit, in realm: ID<Realm>) async throws -> Entered

    /// Whether a change of the account's address can still be undone by the link that was sent to the address before.
    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Moves what the plan says, keeps the source for undoing it, posts `notices`, and opens a session in the target. The
    /// source's id is never given again.
    ///
    /// Returns ``Entered/stale`` where the plan would be another one by now.
    ///
    /// - Throws: ``MergeRefusal``, ``MergeRefusal/recoveryPending`` among them.
    func merge(
        _ merge: AccountMerge, entering entry: MergeCommit, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> Entered
}

/// A decision that signs somebody in, with all that carrying it out needs.
public struct SignInCommit: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case signIn(Account)
        /// - Parameters:
        ///   - caller: where the account is the caller's, whose session has to live.
        ///   - takesEmail: an account without an address gets the identity's.
        case link(to: Account, by: Caller?, takesEmail: Bool)
        case reclaim(Account)
        /// - Parameter takesEmail: the account holds the identity's address.
        case create(ID<Account>, takesEmail: Bool)
    }

    public let step: Step
    public let identity: VerifiedIdentity
    /// What is used up. If any of it was used before, nothing happens.
    public let marks: [ReplayKey]
    public let session: ID<Session>
    public let device: String?
    public let place: [UInt8]?
    public let trace: RequestTrace
    public let enteredAt: Instant
    /// To be sent once it is carried out.
    public let emailBatch: EmailBatch

    public init(
        step: Step, identity: VerifiedIdentity, marks: [ReplayKey], session: ID<Session>,
        device: String?, place: [UInt8]?, trace: RequestTrace, enteredAt: Instant, emailBatch: EmailBatch = EmailBatch()
    ) {
        self.step = step
        self.identity = identity
        self.marks = marks
        self.session = session
        self.device = device
        self.place = place
        self.trace = trace
        self.enteredAt = enteredAt
        self.emailBatch = emailBatch
    }

    /// Of the session that is opened.
    public var authenticatedAt: Instant {
        guard case .link(_, let caller?, _) = step else { return enteredAt }
        return caller.authenticatedAt(linkingAt: enteredAt)
    }
}

public enum Entered: Hashable, Sendable {
    /// The account as it is now, and the session that was opened.
    case done(Account, Session)
    /// Something that the decision rests on has changed: it has to be taken again.
    case stale
    /// A mark had been used before.
    case used
}
