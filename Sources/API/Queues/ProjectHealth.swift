internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns what works in a project and its gateway, and what does not.
    static let getProjectHealth = administrator(
        "getProjectHealth", .get, "/v2/projects/{project}/health", needs: .readConfig
    ) { call, administrator in
        let readiness = await call.services.operations.readiness()
        let facts = try await call.services.queues.health(of: administrator.realm.project.id)
        return try .json(
            ProjectHealthResponse(checks: readiness.checks + facts, version: Release.version))
    }
}

private struct ProjectHealthResponse: Encodable {
    struct Check: Encodable {
        let name: String
        let state: String
        let detail: String
    }

    let version: String
    let checks: [Check]

    init(checks: [HealthCheck], version: String) {
        self.version = version
        self.checks = checks.map { Check(name: $0.name.rawValue, state: $0.state.rawValue, detail: $0.detail) }
    }
}

extension Readiness {
    fileprivate var checks: [HealthCheck] {
        let difference = ClockDifference(lead: clockLead)
        return [
            databaseIsReachable && schemaIsCurrent
                ? HealthCheck(.database, .ok, "The database is reachable, and its schema is current.")
                : HealthCheck(
                    .database, .failing,
                    databaseIsReachable ? "The schema is not migrated." : "The database is not reachable."),
            difference.map { HealthCheck(.clock, .warning, "The clock of this gateway is \($0).") }
                ?? HealthCheck(.clock, .ok, "The clock of this gateway agrees with PostgreSQL's."),
        ]
    }
}
