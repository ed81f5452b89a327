/// Finds, shows and changes the tenants of projects.
public struct Tenancy: Sendable {
    public typealias Change = @Sendable (inout TenantSettings) throws -> Void

    /// The realm of a tenant of the realm's project; `nil` if the tenant does not exist. Creates an unknown tenant if
    /// the mode does; see ``ModeRules/createsTenants``.
    public var realmOfTenant: @Sendable (ID<Tenant>, Realm) async throws -> Realm?
    /// The same, but creates no tenant. Pages use it, because anyone can make a browser open the URL of a page.
    public var realmOfExistingTenant: @Sendable (ID<Tenant>, Realm) async throws -> Realm?
    /// The tenant that a token of the gateway names, without verification of the token; `nil` if it names none.
    public var tenantOfToken: @Sendable (_ token: String) -> ID<Tenant>?
    public let store: any TenantStore
    /// Invalidates the cached configuration. Called after every change, and after an attempt to change or delete a
    /// tenant that does not exist, because such a tenant may still be cached.
    private let onChange: @Sendable () -> Void
    /// Generates a random ID.
    private let newID: @Sendable () -> ID<Tenant>
    private let clock: WallClock

    public init(
        realmOfTenant: @escaping @Sendable (ID<Tenant>, Realm) async throws -> Realm?,
        realmOfExistingTenant: @escaping @Sendable (ID<Tenant>, Realm) async throws -> Realm?,
        tenantOfToken: @escaping @Sendable (String) -> ID<Tenant>?, store: any TenantStore,
        onChange: @escaping @Sendable () -> Void, newID: @escaping @Sendable () -> ID<Tenant>, clock: WallClock
    ) {
        self.realmOfTenant = realmOfTenant
        self.realmOfExistingTenant = realmOfExistingTenant
        self.tenantOfToken = tenantOfToken
        self.store = store
        self.onChange = onChange
        self.newID = newID
        self.clock = clock
    }

    /// Finds a tenant by its ID. Creates an unknown tenant under the same condition as ``realmOfTenant``.
    ///
    /// - Returns: `nil` if the tenant does not exist.
    public func tenant(_ id: ID<Tenant>, of realm: Realm) async throws -> Tenant? {
        if let tenant = try await store.tenant(id, of: realm.project.id) { return tenant }
        return realm.project.modeRules.createsTenants ? try await realmOfTenant(id, realm)?.tenant : nil
    }

    public func create(
        _ settings: TenantSettings, by actor: AuditActor, in realm: Realm
    ) async throws -> Tenant {
        let tenant = Tenant(id: newID(), parent: realm.project.id, settings: settings)
        try await mappingConflicts(to: \.refusalOfCreation) {
            try await store.create(tenant, by: actor, at: clock.now())
        }
        onChange()
        return tenant
    }

    /// - Returns: `nil` if the tenant does not exist.
    public func change(
        _ id: ID<Tenant>, by actor: AuditActor, in realm: Realm, _ change: @escaping Change
    ) async throws -> ChangedTenant? {
        if realm.project.modeRules.createsTenants { _ = try await self.tenant(id, of: realm) }
        let tenant = try await store.change(id, by: actor, at: clock.now(), in: realm.project.id, change)
        onChange()
        return tenant
    }

    /// Deletes the tenant. Requests no longer find it, and a worker deletes its contents in batches.
    ///
    /// - Returns: `false` if the tenant does not exist.
    public func delete(_ id: ID<Tenant>, by actor: AuditActor, in realm: Realm) async throws -> Bool {
        let isDeleted = try await store.delete(id, by: actor, at: clock.now(), in: realm.project.id)
        onChange()
        return isDeleted
    }
}

/// Stores tenants, and records every change in the audit trail of the project.
public protocol TenantStore: Sendable {
    func tenant(_ id: ID<Tenant>, of project: ID<Project>) async throws -> Tenant?
    /// The tenants after `last`, in the order of IDs.
    func tenants(after last: ID<Tenant>?, limit: Int, of project: ID<Project>) async throws -> [Tenant]
    /// - Throws: ``StoreConflict/notFound`` if the project does not exist, ``StoreConflict/taken(_:)`` if the ID is
    ///   taken (a deleted tenant may still have it), and ``ConfigurationRefusal`` for violations of App Review
    ///   guideline 4.8 and for mandatory second factors of which users can add none.
    func create(_ tenant: Tenant, by actor: AuditActor, at now: Instant) async throws
    /// - Returns: `nil` if the tenant does not exist.
    /// - Throws: ``ConfigurationRefusal`` for these problems if they did not exist before.
    func change(
        _ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>,
        _ change: @escaping Tenancy.Change
    ) async throws -> ChangedTenant?
    /// - Returns: `false` if the tenant does not exist.
    func delete(_ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>) async throws -> Bool
}

/// A tenant after a change.
public struct ChangedTenant: Sendable {
    public let tenant: Tenant
    /// The problems that existed before the change and still exist.
    public let warnings: [ConfigurationProblem]

    public init(tenant: Tenant, warnings: [ConfigurationProblem]) {
        self.tenant = tenant
        self.warnings = warnings
    }
}

/// The settings of one tenant. In a new tenant every sign-in method is disabled.
public struct TenantSettings: Hashable, Sendable {
    /// Shown to administrators.
    public var displayName: String?
    public var allowsPasswords = false
    public var allowsEmailLinks = false
    public var allowsAnonymous = false
    /// Sign-in and all operations on accounts are rejected. Refresh tokens of existing sessions still work, as with
    /// Firebase.
    public var isDisabled = false
    /// Replaces the project's rules for passwords; `nil` for the project's rules. The following members replace those
    /// of the project too.
    public var passwordPolicy: PasswordPolicy?
    /// See ``Policy/emailEnumerationProtection``.
    public var emailEnumerationProtection: Bool?
    /// See ``Policy/allowsSignUp``.
    public var allowsSignUp: Bool?
    /// See ``Policy/allowsDeletion``.
    public var allowsDeletion: Bool?
    /// Whether unused anonymous accounts are deleted; see ``Policy/deletesUnusedAnonymousAccounts``.
    public var deletesUnusedAnonymousAccounts: Bool?
    /// Not inherited from the project.
    public var secondFactors = SecondFactorPolicy()

    public init() {}
}

extension TenantSettings {
    /// Returns the policy of the project as it applies to the tenant.
    func applied(to policy: Policy) -> Policy {
        var policy = policy
        policy.allowsPasswords = allowsPasswords
        policy.allowsEmailLinks = allowsEmailLinks
        policy.allowsAnonymous = allowsAnonymous
        policy.secondFactors = secondFactors
        if let passwordPolicy { policy.passwordPolicy = passwordPolicy }
        if let emailEnumerationProtection { policy.emailEnumerationProtection = emailEnumerationProtection }
        if let allowsSignUp { policy.allowsSignUp = allowsSignUp }
        if let allowsDeletion { policy.allowsDeletion = allowsDeletion }
        if let isDeleting = deletesUnusedAnonymousAccounts { policy.deletesUnusedAnonymousAccounts = isDeleting }
        return policy
    }
}

/// Why a request for a tenant was rejected.
public enum TenantRefusal: Refusal, Hashable {
    /// The tenant does not exist.
    case unknown
    /// Two parts of one request name different tenants, or a token belongs to another tenant.
    case mismatch
    /// The tenant is disabled.
    case disabled
    /// The operation or setting exists for projects only.
    case notForTenants
    /// The project of a new tenant does not exist.
    case projectUnknown
}

extension TenantRefusal {
    public var code: ErrorCode {
        switch self {
        case .unknown: .invalidTenantID
        case .mismatch: .tenantIDMismatch
        case .disabled: .projectDisabled
        case .notForTenants: .unsupportedTenantOperation
        case .projectUnknown: .notFound
        }
    }

    public var detail: String? { self == .projectUnknown ? "The project does not exist." : nil }
}

extension StoreConflict {
    fileprivate var refusalOfCreation: (any Refusal)? {
        switch self {
        case .notFound: TenantRefusal.projectUnknown
        case .stale, .taken, .alreadyUsed, .lastSignInMethod: nil
        }
    }
}
