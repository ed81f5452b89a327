internal import API
internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON

/// The console of `serve`. Its screens change nothing themselves: a form becomes a request to the API in the process,
/// with the permissions of the person.
struct ConsolePages: Sendable {
    let signIn: ConsoleSignIn
    /// The URL of the console's host, without a slash at the end.
    let url: @Sendable () -> String
    let operators: ID<Project>
    let forms: FormTokens
    let sealedTexts: SealedTexts
    let drafts: SealedTexts
    let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    let projects: @Sendable () async throws -> [ID<Project>]
    let clock: WallClock

    static let catalog = OperationCatalog(
        Dictionary(
            uniqueKeysWithValues: Endpoint.all.map {
                ($0.operationID, OperationCatalog.Operation($0.method, $0.path))
            }))

    /// A GET and a POST endpoint of a screen.
    func screen(
        _ name: String, _ path: String, bodyLimit: Int? = nil,
        _ screen: @escaping @Sendable (ScreenContext) async throws -> Screen
    ) -> [Endpoint] {
        let methods: [(String, HTTP.Method)] = [("get", .get), ("post", .post)]
        return methods.map { prefix, method in
            .pageOutsideContract(
                prefix + name, method, "/console/{project}/\(path)", bodyLimit: method == .post ? bodyLimit : nil
            ) { call in
                try await respond(call, screen)
            }
        }
    }

    /// The endpoint of a file. A file leaves the console, so it needs a recent proof of both factors.
    func file(
        _ name: String, _ path: String, _ file: @escaping @Sendable (ScreenContext) async throws -> Response
    ) -> Endpoint {
        .pageOutsideContract("get" + name, .get, "/console/{project}/\(path)") { call in
            try await serving(call) { cookies in
                guard let visit = try await visit(call, &cookies), visit.person.isProven(at: clock.now()) else {
                    return redirectToSignIn(call)
                }
                return try await file(context(of: visit, call))
            }
        }
    }

    private func respond(
        _ call: EndpointCall, _ screen: (ScreenContext) async throws -> Screen
    ) async throws -> Response {
        try await serving(call) { cookies in
            guard let visit = try await visit(call, &cookies) else { return redirectToSignIn(call) }
            let context = context(of: visit, call)
            let frame = try await frame(of: visit, context)
            guard visit.person.roles.role(in: visit.project) != nil, try await findRealm(ID(visit.project)) != nil
            else {
                return frame.response(
                    .notFound("There is no such project", "Or you have no role in it."), context)
            }
            guard call.request.method == .post else {
                return frame.response(FormSubmission.resumed(try await screen(context), context), context)
            }
            return switch try await FormSubmission.submit(try await screen(context), context) {
            case .redirect(let path): Self.redirect(to: path)
            case .page(let shown): frame.response(shown, context)
            }
        }
    }

    /// Rejects requests to another host, and adds the cookies that `body` sets.
    func serving(
        _ call: EndpointCall, _ body: (inout ConsoleCookies) async throws -> Response
    ) async throws -> Response {
        guard ConsoleHost(of: url())?.accepts(call.request) == true else {
            return .text(status: 421, "The console has another host.")
        }
        var cookies = ConsoleCookies(call.request, isSecure: url().hasPrefix("https:"))
        var response = try await body(&cookies)
        for header in cookies.headers { response.headers.add("Set-Cookie", header) }
        return response
    }

    /// A request of a person who is signed in.
    struct Visit {
        let person: ConsolePerson
        let project: ID<Project>
    }

    private func visit(_ call: EndpointCall, _ cookies: inout ConsoleCookies) async throws -> Visit? {
        guard let person = try await person(&cookies) else { return nil }
        return Visit(person: person, project: ID(call.parameters["project"] ?? ""))
    }

    /// Returns the person who is signed in, and renews the cookie.
    func person(_ cookies: inout ConsoleCookies) async throws -> ConsolePerson? {
        guard let reference = cookies[.session], let found = try await signIn.person(reference) else { return nil }
        cookies.set(.session, found.reference)
        return found.person
    }

    func redirectToSignIn(_ call: EndpointCall) -> Response {
        let query = call.request.query.map { ($0.name.rawValue, $0.value) }
        let page = call.request.path + (query.isEmpty ? "" : "?" + PercentEncoding.encode(form: query))
        let target = call.request.method == .get ? page : Self.home
        return Self.redirect(to: ConsolePath.withQuery(SignInScreens.path, "continue", target))
    }

    static let home = "/console"

    /// The pages for requests below the console's path that no screen handles. They show nothing of a project.
    static let refusals = ModePages(
        unknownPath: { request in
            guard request.path.beginsExactly(with: home + "/") else { return nil }
            return refusal(
                Screen(
                    "There is no such page", status: 404,
                    [.markup(Markup(.p, [.link(home, .text("To the start of the console"))]))]), request)
        },
        tooLargeForm: { request in
            guard request.path.beginsExactly(with: home + "/") else { return nil }
            return refusal(RefusalScreens.tooLargeForm(request), request)
        })

    private static func refusal(_ screen: Screen, _ request: Request) -> Response {
        PageFrame(product: .init("Sekisho console", home), links: [], switches: [], banners: [])
            .response(screen, path: request.path)
    }

    static func redirect(to path: String) -> Response {
        Response(
            status: 303,
            headers: ["Location": path, "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"])
    }

    /// To what the tokens of forms are bound, so that a form of one session is not accepted in another.
    func browser(of person: ConsolePerson) -> [UInt8] { Array("console session|\(person.session.id)".utf8) }

    private func context(of visit: Visit, _ call: EndpointCall) -> ScreenContext {
        let request = call.request
        let tenant = request.query("tenant").flatMap { $0.isEmpty ? nil : $0 }
        let query = (tenant.map { [("tenant", $0)] } ?? []) + ScreenContext.selection(in: request)
        return ScreenContext(
            request: request, path: request.path + (query.isEmpty ? "" : "?" + PercentEncoding.encode(form: query)),
            realm: RealmName(project: visit.project.rawValue, tenant: tenant), now: clock.now().milliseconds,
            origin: url(), catalog: Self.catalog, forms: forms, sealedTexts: sealedTexts,
            browser: browser(of: visit.person), bearer: "SERVICE_KEY",
            perform: { try await perform($0, for: visit.person, call) },
            explanation: { _ in nil }, permissions: permissions(of: visit))
    }

    /// Performs the request of a form or screen in the process, with the permissions of the person.
    private func perform(
        _ request: APICall, for person: ConsolePerson, _ call: EndpointCall
    ) async throws -> APIResult {
        let body = try request.body.map { try StrictJSON.encode($0) } ?? []
        let response = await call.perform(
            request.method, request.path, query: request.query.map { (ByteText($0.name), $0.value) },
            as: caller(person), body: body)
        // A response without JSON has no members to show.
        return APIResult(status: response.status, json: try? StrictJSON.decode(JSONValue.self, from: response.body))
    }

    func caller(_ person: ConsolePerson) -> InProcessCaller { .console(person, findRealm: findRealm, clock: clock) }
}
