/// Stores accounts, their sessions and their identities. Every call is one statement or one transaction. A change is
/// stored together with its events. A write that is not applied throws ``StoreConflict``, unless its
/// documentation names another error. Every call may throw ``StoreUnavailable`` and ``PersistentConflict``.
public protocol AccountStore: Sendable {
    // For sign-in:

    /// Creates an account and opens its first session.
    ///
    /// - Throws: ``StoreConflict/taken(_:)``.
    func create(_ account: StoredAccount, opening session: NewSession, in realm: ID<Realm>) async throws

    /// The account that holds `email`, with its password hash if it has one. To hold an address means that it is the
    /// account's own address, not only the address of an identity.
    func holder(of email: EmailAddress, in realm: ID<Realm>) async throws -> StoredAccount?

    /// The account that holds `email`, otherwise an account with an identity that has this address.
    func account(knownBy email: EmailAddress, in realm: ID<Realm>) async throws -> Account?

    /// Whether the account that holds `email` has a known network among `networkHashes`: after `since`, a session was
    /// opened from the network, or the password was reset from it.
    ///
    /// - Parameter networkHashes: keyed hashes; see ``NetworkHashing``.
    func hasKnownNetwork(
        _ email: EmailAddress, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Opens a session of an existing account, and records the sign-in.
    ///
    /// - Parameter rehashed: the hash that replaces the stored password hash; `nil` keeps the stored one.
    /// - Throws: ``StoreConflict/stale`` if the account is disabled or does not exist, or if its generation differs
    ///   from the session's, because all its sessions were ended in the meantime.
    func open(_ session: NewSession, rehashed: String?, in realm: ID<Realm>) async throws

    /// Opens a session of the account that has the session's account ID, and records the sign-in. Creates the account
    /// if there is none.
    ///
    /// - Parameters:
    ///   - session: the session to open. The store replaces its generation by that of the account.
    ///   - issuedAt: when the backend issued the custom token. An account that was deleted after this time is not
    ///     created again. With `nil`, a deleted account is always created again.
    /// - Throws: ``StoreConflict/stale`` if the account is disabled; ``StoreConflict/notFound`` if the account was
    ///   deleted after `issuedAt`.
    func openOrCreate(
        _ session: NewSession, issuedAt: Instant?, in realm: ID<Realm>
    ) async throws -> OpenedSession

    /// Finds the account and the session of an ID token.
    ///
    /// - Returns: `nil` if the account does not exist.
    func find(_ contents: IDTokenContents, in realm: ID<Realm>) async throws -> FoundSession?

    /// Exchanges a refresh token by the rules of ``Rotation``.
    func rotate(_ contents: RefreshTokenContents, by policy: Policy, at now: Instant, in realm: ID<Realm>) async throws
        -> Rotation

    /// Whether a client may request the tokens of a session again, because earlier responses may have been lost: the
    /// session is active, and no refresh token of the session except the first one has been used.
    func isResumable(_ session: ID<Session>, in realm: ID<Realm>) async throws -> Bool

    // For the owner of a session:

    /// Changes the account of `session`.
    ///
    /// - Throws: ``StoreConflict/stale`` if the session has ended, or if the change opens a session of a disabled
    ///   account; ``StoreConflict/taken(_:)``; ``StoreConflict/lastSignInMethod``.
    func update(_ change: OwnerChange, by session: Session, in realm: ID<Realm>) async throws -> Account

    /// Deletes the account of `session` and everything that belongs to it. Only an administrator, or a custom token
    /// issued later, can create an account with this ID again.
    ///
    /// - Parameter emailBatch: the emails to enqueue with the deletion.
    /// - Throws: ``StoreConflict/stale`` if the session has ended.
    func deleteAccount(
        of session: Session, by deletion: AccountDeletion, emailBatch: EmailBatch, in realm: ID<Realm>
    ) async throws

    /// The active sessions of an account, those with the latest login first.
    ///
    /// - Parameter position: only sessions after this position are returned; `nil` begins with the first.
    func sessions(
        of account: ID<Account>, after position: TimePosition?, limit: Int, in realm: ID<Realm>
    ) async throws -> [ListedSession]

    /// Ends `session` for the owner of `callerSession`.
    ///
    /// - Parameter events: recorded only if the session was active.
    /// - Throws: ``StoreConflict/notFound`` unless both sessions are active and belong to the same account.
    func end(
        _ session: ID<Session>, by callerSession: Session, events: [AccountEvent], recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws

    /// Ends every session of the caller's account, including `callerSession`.
    ///
    /// - Throws: ``StoreConflict/stale`` if `callerSession` has ended.
    func endAll(
        by callerSession: Session, events: [AccountEvent], recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws

    // For administrators:

    /// - Returns: `nil` if the session is unknown: it never existed, it ended long ago, or its account was deleted.
    func status(of session: ID<Session>, in realm: ID<Realm>) async throws -> SessionStatus?

    /// Returns the members for which an account already has the given value. The account with this ID does not count
    /// for the address and the phone number.
    func takenMembers(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in realm: ID<Realm>
    ) async throws -> Set<UniqueMember>

    /// Creates an account. The ID of a deleted account may be assigned again; no data of the deleted account is
    /// restored.
    ///
    /// - Throws: ``StoreConflict/taken(_:)``.
    func create(
        _ account: StoredAccount, events: [AccountEvent], recording: EventRecording, in realm: ID<Realm>
    ) async throws

    /// The accounts that `references` identify, in no particular order.
    ///
    /// - Parameter references: an identity of `password` or `phone` finds no account here.
    func find(_ references: [AccountReference], in realm: ID<Realm>) async throws -> [Account]

    /// Changes an account for an administrator. The sessions that were opened through an unlinked identity end.
    ///
    /// - Throws: ``StoreConflict/notFound``; ``StoreConflict/taken(_:)``.
    func change(
        _ account: ID<Account>, by change: AdministrativeChange, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account

    /// - Throws: ``StoreConflict/notFound``.
    func delete(_ account: ID<Account>, by deletion: AccountDeletion, in realm: ID<Realm>) async throws

    /// Deletes accounts. Ignores IDs without an account.
    ///
    /// - Parameter onlyDisabled: keeps accounts that are not disabled.
    /// - Returns: the IDs of the accounts that were kept.
    func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by deletion: AccountDeletion, in realm: ID<Realm>
    ) async throws -> Set<ID<Account>>

    /// The accounts whose IDs follow `id`, in the order of IDs. No account needs to have the ID `id`.
    func page(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [Account]

    func count(in realm: ID<Realm>) async throws -> Int

    /// Stores the imported accounts that do not conflict with a stored account.
    ///
    /// - Parameters:
    ///   - accounts: no two of them have the same ID, address, phone number or identity.
    ///   - overwrite: which stored accounts are replaced completely by an imported account with the same ID.
    /// - Returns: for each account that was not stored, the member that conflicts.
    /// - Throws: ``AdministrationRefusal/unlinksIdentities`` if an account to be replaced has identities and
    ///   `overwrite` is ``ImportOverwrite/accountsWithoutIdentities``; then no account was stored.
    func store(
        _ accounts: [StoredAccount], overwrite: ImportOverwrite, recording: EventRecording, now: Instant,
        in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember]

    /// Links, unlinks or moves an identity. The sessions that were opened through a removed identity end.
    ///
    /// - Parameter linkOnly: identities of these providers do not count as sign-in methods.
    /// - Returns: the identity after the change, or the removed identity.
    /// - Throws: ``IdentityRefusal``.
    func apply(
        _ change: IdentityChange, ignoring linkOnly: Set<ProviderID>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> DatedIdentity

    /// Applies the merge plan, stores a merge record for the undo, and enqueues `notices`. The ID of the source (the
    /// account that the merge deletes) is reserved as after a deletion. If the merge token was used before, returns the
    /// first result as long as the merge record exists.
    ///
    /// - Returns: the time until which the merge can be undone.
    /// - Throws: ``StoreConflict/stale`` if the accounts no longer match the precondition;
    ///   ``StoreConflict/alreadyUsed`` if the merge token was used before, and the merge record no longer exists;
    ///   the refusal of `roles`.
    func merge(
        _ merge: AccountMerge, roles: MergedRoles, recording: EventRecording, announcing notices: MergeNotices,
        in realm: ID<Realm>
    ) async throws -> Instant

    /// Restores the source of a merge, and removes from the target (the remaining account) what it received in the
    /// merge. Every session of the target ends.
    ///
    /// - Returns: the target's ID.
    /// - Throws: ``UndoRefusal``; ``StoreConflict/notFound``; ``StoreConflict/taken(_:)``.
    func undoMerge(
        of source: ID<Account>, allowsNoSignInMethod: Bool, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> ID<Account>

    // For lists of accounts:

    /// Accounts in the order `order`, without the first `count` of them.
    ///
    /// - Throws: ``QueryRefusal``.
    func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) async throws -> [Account]

    /// A page of a list, at most `limit` accounts.
    ///
    /// - Parameter cursor: the last account of the previous page, which may have been deleted.
    func page(
        of listing: AccountListing, after cursor: AccountCursor?, limit: Int, in realm: ID<Realm>
    ) async throws -> [Account]
}

extension AccountStore {
    /// - Throws: ``EditRefusal/emailTaken`` if an account holds the address.
    func requireFree(_ email: EmailAddress, in realm: ID<Realm>) async throws {
        guard try await holder(of: email, in: realm) == nil else { throw EditRefusal.emailTaken }
    }
}

/// Which accounts an import replaces.
public enum ImportOverwrite: Hashable, Sendable {
    case none
    case accountsWithoutIdentities
    /// Every account, with its identities.
    case all
}

/// A member that is unique within a realm.
public enum UniqueMember: Hashable, Sendable {
    case id
    case email
    case phoneNumber
    case identity
    /// The credential ID of a passkey, which is unique in all realms that share the RP ID.
    case passkey
    /// The user handle of a passkey, which only one account of all realms that share the RP ID has.
    case userHandle
}

/// An account with its password hash.
public struct StoredAccount: Hashable, Sendable {
    public var account: Account
    public var passwordHash: String?
    /// The second factors of an account that is being imported.
    public var factors: [NewFactor]
    /// The passkeys of an account that is being imported; ``Account/passkeys`` is empty then.
    public var passkeys: [NewPasskey]

    public init(
        account: Account, passwordHash: String? = nil, factors: [NewFactor] = [], passkeys: [NewPasskey] = []
    ) {
        self.account = account
        self.passwordHash = passwordHash
        self.factors = factors
        self.passkeys = passkeys
    }

    /// An account that a user creates at `time`, when the user also signs in for the first time.
    public init(
        new id: ID<Account>, email: EmailAddress? = nil, passwordHash: String? = nil,
        profile: AccountUpdate.Profile = AccountUpdate.Profile(), at time: Instant
    ) {
        var account = Account(
            id: id, email: email, passwordUpdatedAt: passwordHash == nil ? nil : time, createdAt: time,
            lastSignInAt: time, lastRefreshAt: time, validSince: Instant(seconds: time.seconds))
        account.apply(profile)
        self.init(account: account, passwordHash: passwordHash)
    }
}
