internal import API
internal import Console
internal import Encoding
internal import HTTP
internal import Identity

extension StartPages {
    /// The endpoints of the pages. openapi.yaml does not contain them.
    var endpoints: [Endpoint] {
        consoleEndpoints + emailEndpoints + requestEndpoints
            + page("Codes", "/dev/codes") { try await codesScreen($0) }
            + page("Events", "/dev/events") { try await eventsScreen($0) }
            + page("Clock", "/dev/clock") { try await clockScreen($0) }
            + page("People", "/dev/people") { try await peopleScreen($0) }
            + pageWithID("Person", "/dev/people/person") { try await personScreen($0, $1) }
            + page("Data", "/dev/data") { try await dataScreen($0) }
            + [
                start,
                .pageOutsideContract("getConsoleAuditFile", .get, "/console/{project}/audit/file") {
                    try await auditFile($0)
                },
                .pageOutsideContract("getExportedData", .get, "/dev/data/export") { try await export($0) },
                .pageOutsideContract("getConsoleStylesheet", .get, ConsoleStylesheet.path) { _ in
                    ConsoleStylesheet.response
                },
            ]
    }

    /// Returns the start page to a browser, and to other clients the state in JSON, like Firebase's emulator.
    private var start: Endpoint {
        .outsideContract("getEmulatorState", .get, "/") { call in
            guard call.request.acceptsHTML else {
                var response = try Response.json(["authEmulator": EmulatorState()])
                response.headers.add("Vary", "Accept")
                return response
            }
            return try await show(call) { try await startScreen($0) }
        }
    }

    private var consoleEndpoints: [Endpoint] {
        page("ConsoleOverview", "/console/{project}/overview") { try await OverviewScreen.screen($0) }
            + page("ConsoleAccounts", "/console/{project}/accounts") { try await AccountListScreen.screen($0) }
            + page("ConsoleNewAccount", "/console/{project}/newAccount") { NewAccountScreen.screen($0) }
            + page("ConsoleAudit", "/console/{project}/audit") { try await AuditScreen.screen($0) }
            + page("ConsoleQueues", "/console/{project}/queues") { try await QueuesScreen.screen($0) }
            + page("ConsoleHealth", "/console/{project}/health") { try await HealthScreen.screen($0) }
            + page("ConsoleEvents", "/console/{project}/events") { try await EventEndpointsScreen.screen($0) }
            + page("ConsoleSettings", "/console/{project}/settings") { try await PoliciesScreen.screen($0) }
            + page("ConsoleProviders", "/console/{project}/providers") { try await ProvidersScreen.screen($0) }
            + page("ConsoleTenants", "/console/{project}/tenants") { try await TenantsScreen.screen($0) }
            + page("ConsoleApps", "/console/{project}/apps") { try await AppsScreen.screen($0) }
            + pageWithID("ConsoleAppReview", "/console/{project}/apps/review") {
                try await AppReviewScreen.screen(of: $0, $1)
            }
            + page("ConsoleBrand", "/console/{project}/brand", bodyLimit: Endpoint.uploadBodyLimit) {
                try await BrandScreen.screen($0)
            }
            + page("ConsoleTexts", "/console/{project}/texts") { try await TextsScreen.screen($0) }
            + pageWithID("ConsoleAccount", "/console/{project}/accounts/account") { id, context in
                try await AccountScreen.screen(of: id, context) { developerSections(of: $0, context) }
            }
    }

    /// The endpoints of a page about one account or person, whose ID is in the query.
    private func pageWithID(
        _ name: String, _ path: String, _ screen: @escaping @Sendable (String, ScreenContext) async throws -> Screen
    ) -> [Endpoint] {
        let methods: [(String, HTTP.Method)] = [("get", .get), ("post", .post)]
        return methods.map { prefix, method in
            .pageOutsideContract(prefix + name, method, path) { call in
                try await respond(call) { try await screen(call.request.query("id") ?? "", $0) }
            }
        }
    }

    private var emailEndpoints: [Endpoint] {
        page("Emails", "/dev/emails") { try await emailListScreen($0) }
            + [
                .pageOutsideContract("getEmail", .get, "/dev/emails/{email}") { call in
                    try await show(call) { emailScreen(call.parameters["email"] ?? "", $0) }
                },
                .pageOutsideContract("getEmailAsHTML", .get, "/dev/emails/{email}/html") { call in
                    emailHTML(call.parameters["email"] ?? "")
                },
            ]
    }

    private var requestEndpoints: [Endpoint] {
        page("Requests", "/dev/requests") { try await requestListScreen($0) }
            + [
                .pageOutsideContract("getRequestRows", .get, "/dev/requests/rows", isLogged: false) { call in
                    newRequestRows(call.request)
                },
                .pageOutsideContract("getRequest", .get, "/dev/requests/{number}") { call in
                    try await show(call) { requestScreen(call.parameters["number"] ?? "", $0) }
                },
            ]
    }
}

private struct EmulatorState: Encodable {
    let ready = true
    let docs = "https://firebase.google.com/docs/emulator-suite"
    let apiSpec = "/emulator/openapi.json"
}
