/// Accounts and their sessions. Every call is one statement or one transaction, and may throw ``StoreUnavailable``.
public protocol AccountStore: Sendable {
    /// Makes an account and opens its first session.
    func create(_ account: NewAccount, opening session: Session, in realm: ID<Realm>) async throws -> Creation

    /// The account that holds `email`, with its password hash if it has one.
    func holder(of email: EmailAddress, in realm: ID<Realm>) async throws -> EmailHolder?

    /// Whether the account that holds `email` had a session in one of `places` after `since`.
    ///
    /// - Parameter places: keyed hashes; see ``NetworkHashing``.
    func hadSession(
        _ email: EmailAddress, from places: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Records a sign-in, unless the account has moved on from the session's generation or was disabled.
    ///
    /// - Parameter rehashed: replaces the password hash.
    /// - Returns: whether the session was opened.
    func open(_ session: Session, rehashed: String?, in realm: ID<Realm>) async throws -> Bool

    /// Records a sign-in that asks for nothing but the account's id, and makes the account if there is none.
    ///
    /// - Parameters:
    ///   - session: is opened with the generation that the account has.
    ///   - vouchedAt: no account is made again that was deleted later.
    func enter(_ session: Session, vouchedAt: Instant?, in realm: ID<Realm>) async throws -> Entry

    /// - Returns: `nil` if the account is gone.
    func find(_ claim: IDTokenClaim, in realm: ID<Realm>) async throws -> FoundSession?

    /// Presents a refresh token; see ``Rotation`` for the rules.
    func rotate(_ claim: RefreshClaim, by policy: Policy, at now: Instant, in realm: ID<Realm>) async throws
        -> Rotation

    /// Changes the account of `session`, unless the session has ended meanwhile, or the account was disabled and the
    /// change opens a session.
    func update(_ change: AccountChange, by session: Session, in realm: ID<Realm>) async throws -> Update

    /// Removes the account of `session` with all that belongs to it, unless the session has ended meanwhile. Its id is
    /// never given again.
    ///
    /// - Parameter mailing: goes out once it is removed.
    /// - Returns: whether it was removed.
    func delete(
        by session: Session, of actor: AuditActor, at now: Instant, emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws -> Bool
}

public enum Creation: Hashable, Sendable {
    case created(Account)
    case emailTaken
}

public struct EmailHolder: Hashable, Sendable {
    public let account: Account
    public let passwordHash: String?

    public init(account: Account, passwordHash: String?) {
        self.account = account
        self.passwordHash = passwordHash
    }
}

public struct FoundSession: Hashable, Sendable {
    public let account: Account
    /// `nil` if it has ended.
    public let session: Session?

    public init(account: Account, session: Session?) {
        self.account = account
        self.session = session
    }
}

/// What came of presenting a refresh token.
///
/// The session keeps the counter of the newest token it gave out. The newest token, presented, gives its successor.
/// The one before gives that same successor again, however late: its answer may have been lost. An older one does so
/// for a short grace after its successor was used; after that two parties hold the chain, and the session ends.
/// A token ahead of the counter was given out by us and forgotten in a failover: the chain goes on from it.
public enum Rotation: Hashable, Sendable {
    /// - Parameter counter: of the token to give out.
    case goesOn(Session, Account, counter: Int64)
    /// An old token was presented; the session is over now.
    case stolen
    /// The session had ended before.
    case ended
    case accountDisabled
    case unknown
}

/// What to change of an account; `nil` leaves a member as it is.
public struct AccountChange: Hashable, Sendable {
    /// A member's new value.
    public enum Value<Content: Hashable & Sendable>: Hashable, Sendable {
        case set(Content)
        case remove
    }

    public var displayName: Value<String>?
    public var photoURL: Value<String>?
    /// A new address is unverified.
    public var email: Value<EmailAddress>?
    public var passwordHash: Value<String>?
    public var removesPhoneNumber = false
    /// Identities of these providers go, with an address that nothing else holds (see
    /// ``Account/primaryEmail(without:)``) and with the other sessions that were opened through them.
    public var unlinked: Set<ProviderID> = []
    /// Changes nothing if nobody could sign in any more.
    public var keepsWayIn = false
    /// Taken last, after all that takes time: logins up to this second become void where ``replacement`` is set.
    public var changedAt: Instant
    /// Ends every session of the account, moves `validSince` to the login time of this one, and opens it instead.
    public var replacement: Session?
    public var emailBatch = EmailBatch()
    /// For the audit trail, which is told of identities that go as well.
    public var notes: [AuditNote] = []
    public var actor = AuditActor.system

    public init(changedAt: Instant) {
        self.changedAt = changedAt
    }
}

public enum Update: Hashable, Sendable {
    case updated(Account)
    case emailTaken
    /// Nobody could sign in any more.
    case lastWayIn
    /// The account is gone or may not have a session, or the session has ended.
    case stale
}
