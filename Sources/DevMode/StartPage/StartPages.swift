internal import API
internal import Console
internal import Encoding
internal import Gateway
internal import HTML
internal import HTTP
internal import Identity
internal import JSON
internal import Storage

/// What the start page of `dev` and the pages that it links to have in common. `serve` cannot use this type.
struct StartPages: Sendable {
    let projects: DevProjects
    let clock: DevClock
    let simulators: DevSimulators
    let emails: CapturedEmails
    let phoneCodes: CapturedPhoneCodes
    let emailService: EmailService?
    let requests: RecordedRequests
    let forms: FormTokens
    let sealedTexts: SealedTexts

    /// Only callers of `dev` are administrators with this token.
    static let bearer = "owner"

    static let catalog = OperationCatalog(
        Dictionary(
            uniqueKeysWithValues: Endpoint.all.map {
                ($0.operationID, OperationCatalog.Operation($0.method, $0.path))
            }))

    /// A GET and a POST endpoint of a page with forms.
    func page(
        _ name: String, _ path: String, bodyLimit: Int? = nil,
        _ screen: @escaping @Sendable (ScreenContext) async throws -> Screen
    ) -> [Endpoint] {
        [
            .pageOutsideContract("get\(name)", .get, path) { try await respond($0, screen) },
            .pageOutsideContract("post\(name)", .post, path, bodyLimit: bodyLimit) { try await respond($0, screen) },
        ]
    }

    /// Shows a page, or performs the request of a form on it.
    func respond(_ call: EndpointCall, _ screen: (ScreenContext) async throws -> Screen) async throws -> Response {
        call.request.method == .post ? try await submit(call, screen) : try await show(call, screen)
    }

    func show(
        _ call: EndpointCall, _ screen: (ScreenContext) async throws -> Screen
    ) async throws -> Response {
        let context = try await context(of: call)
        guard try await exists(context.realm) else { return try await missing(context) }
        return try await frame(context).response(try await screen(context), context)
    }

    /// Returns the file with the data of a project or tenant.
    func export(_ call: EndpointCall) async throws -> Response {
        let context = try await context(of: call)
        guard try await exists(context.realm) else { return try await missing(context) }
        do {
            return try await exportedData(context)
        } catch let failure as FailedExport {
            let screen = Screen("The export failed", status: 502, [.paragraph(failure.message)])
            return try await frame(context).response(screen, context)
        }
    }

    /// Returns the audit events of a project or tenant.
    func auditFile(_ call: EndpointCall) async throws -> Response {
        let context = try await context(of: call)
        guard try await exists(context.realm) else { return try await missing(context) }
        return try await AuditFile.response(context)
    }

    private func submit(
        _ call: EndpointCall, _ screen: (ScreenContext) async throws -> Screen
    ) async throws -> Response {
        let context = try await context(of: call)
        let shown = try await exists(context.realm) ? try await screen(context) : missingScreen(context)
        switch try await FormSubmission.submit(shown, context) {
        case .redirect(let path):
            return Response(
                status: 303,
                headers: ["Location": path, "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"])
        case .page(let screen): return try await frame(context).response(screen, context)
        }
    }

    private func context(of call: EndpointCall) async throws -> ScreenContext {
        let request = call.request
        let project = call.parameters["project"] ?? request.query("project") ?? projects.defaultID.rawValue
        let tenant = request.query("tenant").flatMap { $0.isEmpty ? nil : $0 }
        let isInPath = call.parameters["project"] != nil
        let query =
            (isInPath || request.query("project") == nil ? [] : [("project", project)])
            + (tenant.map { [("tenant", $0)] } ?? []) + ScreenContext.selection(in: request)
        return ScreenContext(
            request: request,
            path: request.path + (query.isEmpty ? "" : "?" + PercentEncoding.encode(form: query)),
            realm: RealmName(project: project, tenant: tenant), now: clock.now.milliseconds,
            origin: "http://\(request.headers["Host"] ?? "")", catalog: Self.catalog, forms: forms,
            sealedTexts: sealedTexts, browser: [], bearer: Self.bearer, perform: { try await call.perform($0) },
            explanation: { ErrorCode(rawValue: $0)?.explanation })
    }

    /// Whether the project and the tenant exist. A request to the API would create them, a page does not.
    private func exists(_ realm: RealmName) async throws -> Bool {
        let project = ID<Project>(realm.project)
        let id = realm.tenant.map { ID<Realm>(ID<Tenant>($0), of: project) } ?? ID<Realm>(project)
        guard ProjectDraft.isValidID(realm.project), realm.tenant.map({ ID<Tenant>($0).isValidTenantID }) != false
        else { return false }
        return try await projects.store.realm(id) != nil
    }

    private func missing(_ context: ScreenContext) async throws -> Response {
        try await frame(context).response(missingScreen(context), context)
    }

    private func missingScreen(_ context: ScreenContext) -> Screen {
        let realm = context.realm
        return Screen(
            realm.tenant == nil ? "There is no such project" : "There is no such tenant", status: 404,
            [
                .paragraph("The first request of an app creates it. You can also create it here."),
                .form(
                    Form("create-realm", button: "Create it", notice: "It was created.") { _ in
                        try context.catalog.call(
                            "queryAccounts", in: realm, body: ["limit": .string("1")])
                    }),
            ])
    }
}

extension EndpointCall {
    /// Performs the request of a form or screen in the process.
    fileprivate func perform(_ call: APICall) async throws -> APIResult {
        let body = try call.body.map { try StrictJSON.encode($0) } ?? []
        let key = call.credential == .apiKey ? [(name: ByteText("key"), value: "any")] : []
        let response = await perform(
            call.method, call.path, query: call.query.map { (ByteText($0.name), $0.value) } + key,
            bearer: call.credential == .administrator ? StartPages.bearer : nil, body: body)
        // A response without JSON has no members to show.
        return APIResult(status: response.status, json: try? StrictJSON.decode(JSONValue.self, from: response.body))
    }
}
