internal import FoundationEssentials
internal import Identity
internal import Postgres

/// The JSON in the column `project.tenant_settings`. Ignores unknown members, which a newer release may have written.
struct TenantColumn: Codable {
    let displayName: String?
    let allowsPasswords: Bool?
    let allowsEmailLinks: Bool?
    let allowsAnonymous: Bool?
    let isDisabled: Bool?
    let passwordPolicy: PasswordPolicyColumn?
    let emailEnumerationProtection: Bool?
    let allowsSignUp: Bool?
    let allowsDeletion: Bool?
    let deletesUnusedAnonymousAccounts: Bool?
    let secondFactors: SecondFactorColumn?

    init(_ settings: TenantSettings) {
        displayName = settings.displayName
        allowsPasswords = settings.allowsPasswords
        allowsEmailLinks = settings.allowsEmailLinks
        allowsAnonymous = settings.allowsAnonymous
        isDisabled = settings.isDisabled
        passwordPolicy = settings.passwordPolicy.map(PasswordPolicyColumn.init)
        emailEnumerationProtection = settings.emailEnumerationProtection
        allowsSignUp = settings.allowsSignUp
        allowsDeletion = settings.allowsDeletion
        deletesUnusedAnonymousAccounts = settings.deletesUnusedAnonymousAccounts
        secondFactors = SecondFactorColumn(settings.secondFactors)
    }

    var settings: TenantSettings {
        var settings = TenantSettings()
        settings.displayName = displayName
        settings.allowsPasswords = allowsPasswords ?? false
        settings.allowsEmailLinks = allowsEmailLinks ?? false
        settings.allowsAnonymous = allowsAnonymous ?? false
        settings.isDisabled = isDisabled ?? false
        settings.passwordPolicy = passwordPolicy?.policy
        settings.emailEnumerationProtection = emailEnumerationProtection
        settings.allowsSignUp = allowsSignUp
        settings.allowsDeletion = allowsDeletion
        settings.deletesUnusedAnonymousAccounts = deletesUnusedAnonymousAccounts
        if let secondFactors { settings.secondFactors = secondFactors.policy }
        return settings
    }
}

/// The rules of a tenant for second factors, in ``TenantColumn``.
struct SecondFactorColumn: Codable {
    let state: String
    let allowsTOTP: Bool
    /// Absent if users cannot enrol telephone numbers.
    let allowsSMS: Bool?
    let adjacentIntervals: Int

    init(_ policy: SecondFactorPolicy) {
        state = policy.state.rawValue
        allowsTOTP = policy.allowsTOTP
        allowsSMS = policy.allowsSMS ? true : nil
        adjacentIntervals = policy.adjacentIntervals
    }

    var policy: SecondFactorPolicy {
        SecondFactorPolicy(
            state: SecondFactorPolicy.State(rawValue: state) ?? .disabled, allowsTOTP: allowsTOTP,
            allowsSMS: allowsSMS ?? false, adjacentIntervals: adjacentIntervals)
    }
}

/// The rules of a tenant for passwords, in ``TenantColumn``.
struct PasswordPolicyColumn: Codable {
    let isEnforced: Bool
    let isEnforcedAtSignIn: Bool
    let minimumLength: Int
    let requiresLowercase: Bool
    let requiresUppercase: Bool
    let requiresDigit: Bool
    let requiresSymbol: Bool

    init(_ policy: PasswordPolicy) {
        isEnforced = policy.isEnforced
        isEnforcedAtSignIn = policy.isEnforcedAtSignIn
        minimumLength = policy.minimumLength
        requiresLowercase = policy.requiresLowercase
        requiresUppercase = policy.requiresUppercase
        requiresDigit = policy.requiresDigit
        requiresSymbol = policy.requiresSymbol
    }

    var policy: PasswordPolicy {
        var policy = PasswordPolicy(of: Policy(.sekisho))
        policy.isEnforced = isEnforced
        policy.isEnforcedAtSignIn = isEnforcedAtSignIn
        policy.minimumLength = minimumLength
        policy.requiresLowercase = requiresLowercase
        policy.requiresUppercase = requiresUppercase
        policy.requiresDigit = requiresDigit
        policy.requiresSymbol = requiresSymbol
        return policy
    }
}

extension SQL {
    /// The columns of a ``Tenant``, from a row `t` of the table `realm`.
    static let tenantColumns: SQL = "t.id AS realm, t.tenant_settings::text AS tenant_settings"

    static func tenant(_ id: ID<Tenant>, of project: ID<Project>, locking: Bool = false) -> SQL {
        let lock: SQL = locking ? "FOR UPDATE" : ""
        return """
            SELECT \(tenantColumns) FROM realm t
            WHERE t.id = \(ID<Realm>(id, of: project).rawValue) AND t.deleted_at IS NULL \(lock)
            """
    }

    /// Inserts a tenant, unless the ID is taken.
    static func insert(_ tenant: Tenant, at now: Instant) throws -> SQL {
        """
        INSERT INTO realm (id, parent_id, tenant_settings, name, profile, created_at)
        SELECT \(tenant.realm.rawValue), p.id, \(try TenantColumn(tenant.settings).columnText())::text::jsonb, '',
            p.profile, \(Timestamp(now))
        FROM realm p WHERE p.id = \(tenant.parent.rawValue)
        ON CONFLICT (id) DO NOTHING
        """
    }

    static func update(_ tenant: Tenant) throws -> SQL {
        """
        UPDATE realm SET tenant_settings = \(try TenantColumn(tenant.settings).columnText())::text::jsonb
        WHERE id = \(tenant.realm.rawValue)
        """
    }

    /// Marks a tenant as deleted. The janitor later deletes its accounts and its row.
    static func markDeleted(_ tenant: ID<Tenant>, at now: Instant, of project: ID<Project>) -> SQL {
        """
        UPDATE realm SET deleted_at = \(Timestamp(now))
        WHERE id = \(ID<Realm>(tenant, of: project).rawValue) AND deleted_at IS NULL
        """
    }
}

/// The database contains a tenant whose ID is that of a project: it lacks the part after the slash.
struct InvalidTenantRow: Error, CustomStringConvertible {
    let realm: ID<Realm>

    var description: String { "table realm, row \(realm): the ID does not name a tenant" }
}

extension Tenant {
    init(_ row: Row) throws {
        let realm = ID<Realm>(try row.decode("realm"))
        guard let id = realm.tenant else { throw InvalidTenantRow(realm: realm) }
        let settings = try TenantColumn(columnText: row.decode("tenant_settings")).settings
        self.init(id: id, parent: realm.project, settings: settings)
    }
}
