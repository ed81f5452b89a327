internal import API
internal import Crypto
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension Mode.Addition {
    /// What Firebase's emulator has and production has not. `serve` never builds it.
    static func dev(
        on pool: Pool, default id: ID<Project>, under masterKeys: MasterKeys, clock: DevClock,
        simulators: DevSimulators, mail: DevMail, postOffice: PostOffice?
    ) -> Mode.Addition {
        let projects = DevProjects(pool: pool, masterKeys: masterKeys, clock: clock.wallClock, defaultID: id)
        let endpoints =
            [.clearAccounts(on: pool, projects)] + .emulatorConfig(on: pool, projects)
            + [.verificationCodes(projects)]
            + .mailPages(mail, postOffice?.postman)
            + [.emulatorCodes(mail, postOffice, on: pool, projects)]
            + [.setClock(clock), .simulateSignIn(at: simulators, projects)] + .simulators(simulators, projects)
        return Mode.Addition(
            projects: projects.project,
            endpoints: { desk in
                [.emulatorState] + .describing(endpoints + [.emulatorAction(desk)]) + .emulatorTenants
            })
    }
}

extension DevProjects {
    func named(by call: Call) async throws -> Project {
        guard let project = try await project(call.parameters["project"].map { ID($0) }) else {
            throw RequestRefusal.notFound
        }
        return project
    }
}

extension Endpoint {
    fileprivate static let emulatorState = extra("getEmulatorState", .get, "/") { _ in
        try .json(["authEmulator": EmulatorState()])
    }

    fileprivate static func clearAccounts(on pool: Pool, _ projects: DevProjects) -> Endpoint {
        extra("clearAccounts", .delete, "/emulator/v1/projects/{project}/accounts") { call in
            try await AccountClearing(pool: pool).clear(projects.named(by: call).id)
            return try .json([String: String]())
        }
    }
}

extension Endpoint {
    /// No message has ever been sent to a telephone.
    fileprivate static func verificationCodes(_ projects: DevProjects) -> Endpoint {
        extra("listVerificationCodes", .get, "/emulator/v1/projects/{project}/verificationCodes") { call in
            _ = try await projects.named(by: call)
            return try .json(["verificationCodes": [String]()])
        }
    }
}

extension [Endpoint] {
    /// There are no tenants yet.
    fileprivate static var emulatorTenants: [Endpoint] {
        let paths: [(String, HTTP.Method, String)] = [
            ("clearTenantAccounts", .delete, "accounts"), ("listTenantOobCodes", .get, "oobCodes"),
            ("listTenantVerificationCodes", .get, "verificationCodes"),
        ]
        return paths.map { operationID, method, name in
            .extra(operationID, method, "/emulator/v1/projects/{project}/tenants/{tenant}/\(name)") { _ in
                throw RequestRefusal.notImplemented("This operation")
            }
        }
    }
}

private struct EmulatorState: Encodable {
    let ready = true
    let docs = "https://firebase.google.com/docs/emulator-suite"
    let apiSpec = "/emulator/openapi.json"
}
