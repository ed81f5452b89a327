/// Accounts as administrators change them. Every call is one statement or one transaction, which also writes the audit
/// events. A write throws ``StoreConflict`` if it was not applied. Every call may throw ``StoreUnavailable``.
public protocol AdministrationStore: Sendable {
    /// Returns which of these members some account already has.
    func taken(
        id: ID<Account>?, email: EmailAddress?, phoneNumber: PhoneNumber?, in realm: ID<Realm>
    ) async throws -> Set<UniqueMember>

    /// Creates an account. The ID of a deleted account may be assigned again; nothing of the deleted account is restored.
    ///
    /// - Throws: ``StoreConflict/taken(_:)``.
    func create(_ account: StoredAccount, by actor: AuditActor, in realm: ID<Realm>) async throws

    /// The accounts that `references` lead to, in no order.
    ///
    /// - Parameter references: `password` and `phone` are no identities here.
    func find(_ references: [AccountReference], in realm: ID<Realm>) async throws -> [Account]

    /// - Throws: ``StoreConflict/notFound``; ``StoreConflict/taken(_:)``.
    func change(
        _ account: ID<Account>, by change: AdministrativeChange, of actor: AuditActor, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account

    /// - Throws: ``StoreConflict/notFound``.
    func delete(_ account: ID<Account>, by actor: AuditActor, now: Instant, in realm: ID<Realm>) async throws

    /// Ignores IDs without an account.
    ///
    /// - Parameter onlyDisabled: keeps accounts that are not disabled.
    /// - Returns: the IDs of the accounts that were kept.
    func delete(
        _ accounts: [ID<Account>], onlyDisabled: Bool, by actor: AuditActor, now: Instant, in realm: ID<Realm>
    ) async throws -> Set<ID<Account>>

    /// The accounts that follow `id`, which need not exist, in the order of ids.
    func page(after id: ID<Account>?, limit: Int, in realm: ID<Realm>) async throws -> [Account]

    func count(in realm: ID<Realm>) async throws -> Int

    /// Stores each account that does not conflict with a stored one.
    ///
    /// - Parameters:
    ///   - accounts: of different ids, addresses, numbers and identities.
    ///   - overwrite: which accounts are replaced by one with the same ID; nothing of them is kept.
    /// - Returns: the conflicting members of the accounts that were not stored.
    /// - Throws: ``AdministrationRefusal/unlinksIdentities``, with nothing stored.
    func store(
        _ accounts: [StoredAccount], overwrite: ImportOverwrite, by actor: AuditActor, now: Instant,
        in realm: ID<Realm>
    ) async throws -> [ID<Account>: UniqueMember]
}

/// Which accounts an import replaces.
public enum ImportOverwrite: Hashable, Sendable {
    case none
    case accountsWithoutIdentities
    /// Their identities are removed with them.
    case all
}

/// A member that is unique within a realm.
public enum UniqueMember: Hashable, Sendable {
    case id
    case email
    case phoneNumber
    case identity
}

/// An account with values that only the database has.
public struct StoredAccount: Hashable, Sendable {
    public var account: Account
    public var passwordHash: String?

    public init(account: Account, passwordHash: String? = nil) {
        self.account = account
        self.passwordHash = passwordHash
    }
}

/// An administrator's change of an account, applied in one transaction.
public struct AdministrativeChange: Hashable, Sendable {
    /// Its ``AccountUpdate/sessions`` are ``AccountUpdate/SessionEffect/endAllIfCredentialsChange``.
    public var update = AccountUpdate()
    public var unlinked: Set<ProviderID> = []
    /// Replaces the identity that the account has with the same provider.
    public var linked: LinkedIdentity?

    public init() {
        update.sessions = .endAllIfCredentialsChange
    }
}
