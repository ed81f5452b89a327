/// Codes as they are kept. Every call is one statement or one transaction, and may throw ``StoreUnavailable``.
public protocol OOBCodeStore: Sendable {
    /// Stores a code and enqueues its email.
    ///
    /// - Parameters:
    ///   - session: has to live, where one is given.
    ///   - administrator: who asked for it instead of the owner.
    /// - Returns: whether it did.
    func issue(
        _ code: OOBCode, _ outgoing: OutgoingEmail?, by session: Session?, for administrator: (AuditNote, AuditActor)?,
        in realm: ID<Realm>
    ) async throws -> Bool

    /// Enqueues an email whose code is bound when the email is sent; see ``EmailQueue/bind(_:of:)``.
    func enqueue(_ outgoing: OutgoingEmail, in realm: ID<Realm>) async throws

    /// A code that is kept, however old, with the account it is about.
    ///
    /// - Parameter project: `nil` looks in every project.
    func find(_ hash: [UInt8], in realm: ID<Realm>?) async throws -> FoundCode?

    /// Uses the code up and carries out what it is for, all of it or nothing. A code whose address turns out to be
    /// another account's is used up all the same, except one that leads back to an earlier address.
    func redeem(_ redemption: Redemption, in realm: ID<Realm>) async throws -> Redeemed

    /// Uses the code up and carries out what a ``MergeReversal`` says.
    func undoMerge(_ undoing: MergeUndoing, in realm: ID<Realm>) async throws -> UndoneMerge
}

public struct FoundCode: Hashable, Sendable {
    public let code: OOBCode
    public let realm: ID<Realm>
    /// Of a sign-in link the account that holds the address, if any does.
    public let account: Account?

    public init(code: OOBCode, realm: ID<Realm>, account: Account?) {
        self.code = code
        self.realm = realm
        self.account = account
    }

    /// - Throws: ``OOBCodeRefusal/invalid`` if what the code was made for has changed since, and
    ///   ``OOBCodeRefusal/expired``.
    public func requireStanding(at now: Instant) throws(OOBCodeRefusal) {
        let hasChanged =
            switch code.purpose {
            case .recoverEmail, .removeSignInMethod, .undoMerge: false
            case .signIn: code.account != nil && account?.id != code.account
            case .verifyEmail, .resetPassword, .changeEmail: account?.email != code.email
            }
        let hasMovedOn = code.generation != nil && account?.generation != code.generation
        guard !hasChanged, !hasMovedOn else { throw .invalid }
        guard now < code.expiresAt else { throw .expired }
    }
}

/// A code on its way to be used up, with what was decided about it.
public struct Redemption: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case change(MailboxChange)
        /// An account with this proven address, and nothing else.
        case create(NewAccount)
    }

    public let code: OOBCode
    public let step: Step
    /// To be opened.
    public let session: Session?
    /// Has to live: of the caller who has the mailbox linked to the own account.
    public let caller: Session?
    public let emailBatch: EmailBatch
    public let trace: RequestTrace
    public let redeemedAt: Instant

    public init(
        code: OOBCode, step: Step, session: Session? = nil, caller: Session? = nil,
        emailBatch: EmailBatch = EmailBatch(),
        trace: RequestTrace, redeemedAt: Instant
    ) {
        self.code = code
        self.step = step
        self.session = session
        self.caller = caller
        self.emailBatch = emailBatch
        self.trace = trace
        self.redeemedAt = redeemedAt
    }
}

public enum Redeemed: Hashable, Sendable {
    /// The account as it is now.
    case done(Account)
    /// Something that the decision rests on has changed: it has to be taken again.
    case stale
    /// Somebody else was first.
    case used
    case emailTaken
}
