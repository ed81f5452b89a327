internal import Gateway
internal import Identity
internal import Providers
internal import Storage

extension Command {
    static let listTenants = list(
        ["tenants", "list"], summary: "List the tenants of a project", heading: ["ID", "NAME", "DISABLED"]
    ) { administration, project in
        let store = PostgresTenantStore(pool: administration.pool, supporting: .live)
        var rows: [[String]] = []
        var last: ID<Tenant>?
        while true {
            let tenants = try await store.tenants(after: last, limit: 1000, of: project)
            rows += tenants.map {
                [$0.id.rawValue, $0.settings.displayName ?? "", $0.settings.isDisabled ? "yes" : "no"]
            }
            guard tenants.count == 1000 else { return rows }
            last = tenants.last?.id
        }
    }
}
