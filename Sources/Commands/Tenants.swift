internal import Gateway
internal import Identity
internal import Providers
internal import Storage

extension Command {
    static let listTenants = Command(
        words: ["tenants", "list"],
        summary: "List the tenants of a project",
        options: [.project, .json],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        try Administration.run { administration in
            try await administration.requireRealm(ID(project))
            let store = PostgresTenantStore(pool: administration.pool, supporting: .live)
            var rows = [["ID", "NAME", "DISABLED"]]
            var last: ID<Tenant>?
            while true {
                let tenants = try await store.tenants(after: last, limit: 1000, of: project)
                rows += tenants.map {
                    [$0.id.rawValue, $0.settings.displayName ?? "", $0.settings.isDisabled ? "yes" : "no"]
                }
                guard tenants.count == 1000 else { break }
                last = tenants.last?.id
            }
            try Terminal.writeList(rows, arguments)
        }
    }
}
