public import Identity
public import Postgres

/// ``TenantStore`` on PostgreSQL.
public struct PostgresTenantStore: TenantStore {
    private let pool: Pool
    private let supportedProviders: SupportedProviders

    /// - Parameter supportedProviders: the providers of the tenants that the store checks.
    public init(pool: Pool, supporting supportedProviders: SupportedProviders) {
        self.pool = pool
        self.supportedProviders = supportedProviders
    }

    public func tenant(_ id: ID<Tenant>, of project: ID<Project>) async throws -> Tenant? {
        try await withStoreErrors { try await pool.read(.tenant(id, of: project)) }.first.map(Tenant.init)
    }

    public func tenants(after last: ID<Tenant>?, limit: Int, of project: ID<Project>) async throws -> [Tenant] {
        let start = last.map { ID<Realm>($0, of: project).rawValue } ?? ""
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT \(SQL.tenantColumns) FROM realm t
                WHERE t.parent_id = \(project.rawValue) AND t.deleted_at IS NULL AND t.id > \(start)
                ORDER BY t.id LIMIT \(limit)
                """)
        }.map(Tenant.init)
    }

    public func create(_ tenant: Tenant, by actor: AuditActor, at now: Instant) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: tenant.parent) else { throw StoreConflict.notFound }
                try await transaction.requireValid(tenant, supporting: supportedProviders)
                guard try await transaction.execute(.insert(tenant, at: now)) == 1 else {
                    throw StoreConflict.taken(.id)
                }
                try await transaction.audit(
                    [AuditNote("tenant.added", tenant.id.rawValue)], by: actor, at: now, in: ID(tenant.parent))
            }
        }
    }

    public func change(
        _ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>,
        _ change: @escaping Tenancy.Change
    ) async throws -> ChangedTenant? {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.lockConfiguration(of: project)
                guard
                    let before = try await transaction.query(.tenant(id, of: project, locking: true)).first
                        .map(Tenant.init)
                else { return nil }
                var after = before
                try change(&after.settings)
                let warnings = try await transaction.requireValid(after, supporting: supportedProviders)
                guard after != before else { return ChangedTenant(tenant: after, warnings: warnings) }
                _ = try await transaction.execute(.update(after))
                try await transaction.audit([.changed(from: before, to: after)], by: actor, at: now, in: ID(project))
                return ChangedTenant(tenant: after, warnings: warnings)
            }
        }
    }

    public func delete(
        _ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>
    ) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.lockConfiguration(of: project)
                guard try await transaction.execute(.markDeleted(id, at: now, of: project)) == 1 else { return false }
                try await transaction.audit(
                    [AuditNote("tenant.removed", id.rawValue)], by: actor, at: now, in: ID(project))
                return true
            }
        }
    }
}

extension Transaction {
    /// Requires that the project's apps comply with Apple's App Review guideline 4.8 in a tenant that is about to be
    /// stored, and that its users can add a second factor if one is mandatory. The caller must have locked the project.
    ///
    /// - Returns: the problems that existed before and remain.
    /// - Throws: ``ConfigurationRefusal`` if there are new problems.
    @discardableResult
    fileprivate func requireValid(
        _ tenant: Tenant, supporting supportedProviders: SupportedProviders
    ) async throws -> [ConfigurationProblem] {
        let apps = try await query(.apps(of: tenant.parent)).map(ConfiguredApp.init)
        let realms = try await query(.realms([ID(tenant.parent), tenant.realm]))
            .map { try Realm($0, supporting: supportedProviders) }
        guard let project = realms.first(where: { $0.tenant == nil }) else { return [] }
        let before = realms.first { $0.tenant != nil }
        let after = Realm(tenant, of: project, providers: before?.providers ?? [])
        let former = before.map { $0.secondFactorProblems + $0.loginServicesProblems(of: apps) } ?? []
        let problems = (after.secondFactorProblems + after.loginServicesProblems(of: apps)).split(since: former)
        guard problems.added.isEmpty else { throw ConfigurationRefusal(problems: problems.added) }
        return problems.kept
    }
}

extension AuditNote {
    /// The audit event that names the changed settings of a tenant.
    fileprivate static func changed(from before: Tenant, to after: Tenant) -> AuditNote {
        let (old, new) = (before.settings, after.settings)
        let members = [
            ("allowsAnonymous", old.allowsAnonymous != new.allowsAnonymous),
            ("allowsDeletion", old.allowsDeletion != new.allowsDeletion),
            ("allowsEmailLinks", old.allowsEmailLinks != new.allowsEmailLinks),
            ("allowsPasswords", old.allowsPasswords != new.allowsPasswords),
            ("allowsSignUp", old.allowsSignUp != new.allowsSignUp),
            (
                "deletesUnusedAnonymousAccounts",
                old.deletesUnusedAnonymousAccounts != new.deletesUnusedAnonymousAccounts
            ),
            ("displayName", old.displayName != new.displayName),
            ("emailEnumerationProtection", old.emailEnumerationProtection != new.emailEnumerationProtection),
            ("isDisabled", old.isDisabled != new.isDisabled),
            ("passwordPolicy", old.passwordPolicy != new.passwordPolicy),
            ("secondFactors", old.secondFactors != new.secondFactors),
        ].filter(\.1).map(\.0)
        return AuditNote("tenant.changed", after.id.rawValue, ["members": members.joined(separator: " ")])
    }
}
