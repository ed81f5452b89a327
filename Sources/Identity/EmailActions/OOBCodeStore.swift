/// Stores email action codes. Every call is one statement or one transaction. A write throws ``StoreConflict`` if it
/// was not applied. Every call may throw ``StoreUnavailable``.
public protocol OOBCodeStore: Sendable {
    /// Stores a code, and enqueues its email if there is one.
    ///
    /// - Parameters:
    ///   - outgoing: the email; `nil` to send none.
    ///   - session: the session of the account's owner, if the owner requested the code. It must be active.
    ///   - administrator: the audit event and its actor, if an administrator requested the code.
    /// - Throws: ``StoreConflict/stale`` if `session` has ended, or its account is disabled.
    func issue(
        _ code: OOBCode, sending outgoing: OutgoingEmail?, bySession session: Session?,
        forAdministrator administrator: (AuditNote, AuditActor)?, in realm: ID<Realm>
    ) async throws

    /// Enqueues an email with a code that is not stored yet. The code is stored, with its account, when the email is
    /// sent; see ``EmailQueue/storeResetCode(_:of:)``.
    func enqueue(_ outgoing: OutgoingEmail, in realm: ID<Realm>) async throws

    /// Returns a stored code, expired or not, with its account; see ``FoundCode/account``.
    ///
    /// - Parameter realm: `nil` searches every realm.
    func find(_ hash: [UInt8], at now: Instant, in realm: ID<Realm>?) async throws -> FoundCode?

    /// Consumes the code and applies its change in one transaction.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/stale`` if the change has to be computed again from the current accounts;
    ///   ``StoreConflict/alreadyUsed``; ``StoreConflict/taken(_:)`` for the email address: then the code is consumed
    ///   nevertheless, unless its purpose is ``OOBCode/Purpose/recoverEmail``.
    func redeem(_ redemption: Redemption, in realm: ID<Realm>) async throws -> Account

    /// Consumes the code and applies a ``MergeReversal``.
    ///
    /// - Returns: the restored source.
    /// - Throws: ``StoreConflict/stale`` if other transactions have changed the accounts, so that the call has to be
    ///   repeated; ``StoreConflict/alreadyUsed``; ``StoreConflict/notFound`` if the code's merge is no longer stored;
    ///   ``StoreConflict/taken(_:)`` if another account has the source's ID.
    func undoMerge(_ undoing: MergeUndoing, in realm: ID<Realm>) async throws -> Account
}

/// A stored code, expired or not, with its realm and account.
public struct FoundCode: Hashable, Sendable {
    public let code: OOBCode
    public let realm: ID<Realm>
    /// The account of the code; for a sign-in link, the account that has the address now. `nil` if there is none.
    public let account: Account?
    /// A mailbox that has precedence over that of the account's address; `nil` if there is none.
    public internal(set) var earlierMailbox: EarlierMailbox?

    public init(code: OOBCode, realm: ID<Realm>, account: Account?, earlierMailbox: EarlierMailbox?) {
        self.code = code
        self.realm = realm
        self.account = account
        self.earlierMailbox = earlierMailbox
    }

    /// - Throws: ``OOBCodeRefusal/invalid`` if the account has changed since the code was issued, and
    ///   ``OOBCodeRefusal/expired``.
    public func requireValid(at now: Instant) throws(OOBCodeRefusal) {
        let hasChanged =
            switch code.purpose {
            case .recoverEmail, .removeSignInMethod, .revertFactorAddition, .undoMerge: false
            // A link that was sent before any account had the address signs in to the account that has it now.
            case .signIn: code.account != nil && account?.id != code.account
            case .verifyEmail, .resetPassword: account?.email != code.email
            // A first address may have become the account's address in the meantime, but not another one.
            case .changeEmail: account?.email != code.email && account?.email != code.replacedEmail
            }
        let hasOtherGeneration = code.generation != nil && account?.generation != code.generation
        guard !hasChanged, !hasOtherGeneration else { throw .invalid }
        guard now < code.expiresAt else { throw .expired }
    }
}

/// A code to be consumed, with the change that it causes.
public struct Redemption: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case change(MailboxChange)
        /// Creates an account with a verified address, and with a password or email links as its sign-in method.
        ///
        /// - Parameter former: the account that has the address now, and loses it; see
        ///   ``MailboxChange/disavowing(_:)``.
        case create(StoredAccount, inPlaceOf: Account?)
    }

    public let code: OOBCode
    public let step: Step
    /// The session to open; `nil` if the redemption signs no user in.
    public let session: NewSession?
    /// The session of a caller who adds the mailbox to their own account. It must be active.
    public let callerSession: Session?
    public let emailBatch: EmailBatch
    /// The hash of a network that becomes a known network of the account; see ``NetworkHashing``.
    public let networkHash: [UInt8]?
    public let recording: EventRecording
    public let redeemedAt: Instant

    public init(
        code: OOBCode, step: Step, session: NewSession? = nil, callerSession: Session? = nil,
        emailBatch: EmailBatch = .none, networkHash: [UInt8]? = nil, recording: EventRecording, redeemedAt: Instant
    ) {
        self.code = code
        self.step = step
        self.session = session
        self.callerSession = callerSession
        self.emailBatch = emailBatch
        self.networkHash = networkHash
        self.recording = recording
        self.redeemedAt = redeemedAt
    }
}
