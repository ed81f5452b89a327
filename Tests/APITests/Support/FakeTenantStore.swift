import Identity

/// Knows no tenant.
struct FakeTenantStore: TenantStore {
    func tenant(_ id: ID<Tenant>, of project: ID<Project>) async throws -> Tenant? { nil }

    func tenants(after last: ID<Tenant>?, limit: Int, of project: ID<Project>) async throws -> [Tenant] { [] }

    func create(_ tenant: Tenant, by actor: AuditActor, at now: Instant) async throws {}

    func change(
        _ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>,
        _ change: @escaping Tenancy.Change
    ) async throws -> Tenant? { nil }

    func delete(_ id: ID<Tenant>, by actor: AuditActor, at now: Instant, in project: ID<Project>) async throws -> Bool {
        false
    }
}
