/// Accounts and their sessions. Every call is one statement or one transaction. A write throws ``StoreConflict`` if it was
/// not applied. Every call may throw ``StoreUnavailable``.
public protocol AccountStore: Sendable {
    /// Creates an account and opens its first session.
    ///
    /// - Throws: ``StoreConflict/taken(_:)``.
    func create(_ account: NewAccount, opening session: Session, in realm: ID<Realm>) async throws -> Account

    /// The account that holds `email`, with its password hash if it has one.
    func holder(of email: EmailAddress, in realm: ID<Realm>) async throws -> EmailHolder?

    /// Whether the account that holds `email` had a session in one of `networkHashes` after `since`.
    ///
    /// - Parameter networkHashes: keyed hashes; see ``NetworkHashing``.
    func hadSession(
        _ email: EmailAddress, from networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Records a sign-in.
    ///
    /// - Parameter rehashed: replaces the password hash.
    /// - Throws: ``StoreConflict/stale`` if the account has another generation than the session, or is disabled.
    func open(_ session: Session, rehashed: String?, in realm: ID<Realm>) async throws

    /// Records a sign-in to the account that has the session's account ID, and creates that account if there is none.
    ///
    /// - Parameters:
    ///   - session: is opened with the generation that the account has.
    ///   - issuedAt: when the backend issued the token. An account that was deleted later is not created again.
    /// - Throws: ``StoreConflict/stale`` if the account is disabled; ``StoreConflict/notFound`` if it was deleted after
    ///   `issuedAt`.
    func openOrCreate(
        _ session: Session, issuedAt: Instant?, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session, isNew: Bool)

    /// - Returns: `nil` if the account is gone.
    func find(_ claim: IDTokenClaim, in realm: ID<Realm>) async throws -> FoundSession?

    /// Presents a refresh token; see ``Rotation`` for the rules.
    func rotate(_ claim: RefreshClaim, by policy: Policy, at now: Instant, in realm: ID<Realm>) async throws
        -> Rotation

    /// Changes the account of `session`.
    ///
    /// - Throws: ``StoreConflict/stale`` if the session has ended, or the account is disabled and the change opens a
    ///   session; ``StoreConflict/taken(_:)``; ``StoreConflict/lastSignInMethod``.
    func update(_ change: OwnerChange, by session: Session, in realm: ID<Realm>) async throws -> Account

    /// Deletes the account of `session` and everything that belongs to it. Its ID is never assigned again.
    ///
    /// - Parameter emailBatch: is enqueued with the deletion.
    /// - Throws: ``StoreConflict/stale`` if the session has ended.
    func delete(
        by session: Session, of actor: AuditActor, at now: Instant, emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws
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

/// The result of presenting a refresh token.
///
/// The session stores the counter of the newest token that was issued. The newest token returns its successor. The
/// token before it returns the same successor again at any time, because the first response may have been lost. An
/// older token does so only during a short grace period after its successor was used; after that, two parties hold the
/// chain, and the session ends. A token ahead of the counter was issued by us and lost in a database failover: the
/// chain continues from it.
public enum Rotation: Hashable, Sendable {
    /// - Parameter counter: of the token to give out.
    case goesOn(Session, Account, counter: Int64)
    /// An old token was presented, and the session was ended.
    case stolen
    /// The session had already ended.
    case ended
    case accountDisabled
    case unknown
}

/// What the owner of an account changes, with the effects that belong to the same transaction.
public struct OwnerChange: Hashable, Sendable {
    public var update = AccountUpdate()
    /// The identities of these providers are unlinked, with an address that nothing else holds (see
    /// ``Account/primaryEmail(without:)``) and with the other sessions that were opened through them.
    public var unlinked: Set<ProviderID> = []
    /// Rejects the change if the account would have no sign-in method left.
    public var protectsLastSignInMethod = false
    /// Read after all slow work. If ``replacement`` is set, logins up to this second become void.
    public var changedAt: Instant
    /// Ends every session of the account, sets `validSince` to the login time of this session, and opens it instead.
    public private(set) var replacement: Session?
    public var emailBatch = EmailBatch()
    /// Audit events, without those of unlinked identities: the store adds them.
    public var notes: [AuditNote] = []
    public var actor = AuditActor.system

    public init(changedAt: Instant) {
        self.changedAt = changedAt
    }

    public mutating func replace(with session: Session) {
        replacement = session
        update.sessions = .endAll
        update.lastSignInAt = changedAt
    }
}
