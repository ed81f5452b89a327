internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// Without `state`, starts a sign-in for Firebase's JavaScript SDK. With `state`, completes a sign-in with a
    /// built-in provider.
    static let getAuthHandler = handler("getAuthHandler", "/__/auth/handler") { call in
        call.request.query("state") == nil
            ? try await HandlerStart(call: call).pageResponse() : try await HandlerCallback(call: call).pageResponse()
    }

    /// Completes a sign-in with an OpenID provider of a project.
    static let getProviderAuthHandler = handler(
        "getProviderAuthHandler", "/__/auth/handler/{project}/{providerId}"
    ) {
        try await HandlerCallback(call: $0).pageResponse()
    }

    /// Completes a sign-in with an OpenID provider of a tenant.
    static let getTenantProviderAuthHandler = handler(
        "getTenantProviderAuthHandler", "/__/auth/handler/{project}/{tenant}/{providerId}"
    ) {
        try await HandlerCallback(call: $0).pageResponse()
    }

    /// Stores the response that Apple posts as a form. ``getAuthHandler`` then completes the sign-in.
    static let postAuthHandler = page("postAuthHandler", .post, "/__/auth/handler") {
        try await HandlerCallback(call: $0).storeResponse()
    }

    /// Starts a sign-in at the path that Firebase's JavaScript SDK uses when it is connected to an emulator.
    static let getEmulatorAuthHandler = handler("getEmulatorAuthHandler", "/emulator/auth/handler") {
        try await HandlerStart(call: $0, isForEmulator: true).pageResponse()
    }

    static let getAuthFrame = page("getAuthFrame", .get, "/__/auth/iframe") { try await $0.authFrame() }

    static let getEmulatorAuthFrame = page("getEmulatorAuthFrame", .get, "/emulator/auth/iframe") {
        try await $0.authFrame()
    }

    /// A page that starts or completes sign-ins. It does nothing on HEAD requests, because link checkers send them, and
    /// a link checker must not consume a code or state.
    private static func handler(
        _ operationID: String, _ path: String, respond: @escaping @Sendable (EndpointCall) async throws -> PageResponse
    ) -> Endpoint {
        page(operationID, .get, path) { call in
            guard call.request.method != .head else {
                return PageResponse(Response(status: 200, headers: ["Referrer-Policy": "no-referrer"]))
            }
            return try await respond(call)
        }
    }
}

extension EndpointCall {
    /// The frame of Firebase's JavaScript SDK. The frame passes its events to the page that embeds it, so only pages of
    /// the API key's project may embed it.
    fileprivate func authFrame() async throws -> PageResponse {
        do {
            guard request.repeatedParameter == nil else { throw AuthorizationRefusal.malformedStart }
            let apiKey = request.query("apiKey")
            let client = try await pipeline.callingApp(apiKey: apiKey)
            let key = SDKFrame.key(apiKey: apiKey ?? "", appName: request.query("appName") ?? "")
            return PageResponse(
                SDKFrame.response(withKey: key, for: client.realm.project.frameAncestors), of: client.realm.id)
        } catch let refusal as any Refusal where refusal is AccessRefusal || refusal is AuthorizationRefusal {
            let pageContext = pageContext(in: nil, projectName: nil)
            let page = Page.flowFailure(.malformed, back: .none, pageContext)
            return PageResponse(page.flowResponse(status: 400), because: refusal)
        }
    }

    /// Returns the context of a page of a flow; without a project, the page shows no name.
    func flowPageContext(in realm: Realm?, of app: ID<App>?) async throws -> Page.Context {
        var name: String?
        if let realm { name = try await services.emailActions.pageService.name(of: realm.project.id) }
        return pageContext(in: realm, of: app, projectName: name)
    }

    /// The query of this request, for a URL that repeats the request.
    var encodedQuery: String {
        PercentEncoding.encode(form: request.query.map { ($0.name.rawValue, $0.value) })
    }
}

/// A request with which the SDK opens the handler, in a popup or in the tab of the app.
private struct HandlerStart {
    let call: EndpointCall
    /// Whether an unknown tenant is created, as for requests of the API; see ``ModeRules/createsTenants``.
    var isForEmulator = false

    func pageResponse() async throws -> PageResponse {
        let request: HandlerRequest
        do {
            request = try HandlerRequest(call.request)
        } catch {
            return try await failure(error, back: { _ in .none }, for: nil)
        }
        var caller: CallingApp?
        var target: AuthorizationTarget?
        do {
            let client = try await self.caller(of: request)
            caller = client
            let page = try AuthorizationTarget(page: request.page, in: client.realm)
            target = page
            return PageResponse(try await start(request, for: client, returningTo: page), of: client.realm.id)
        } catch {
            return try await failure(
                error,
                back: { problem in
                    guard target != nil || request.isPopup else { return .none }
                    let delivery = EventDelivery(
                        request.event, isPopup: request.isPopup, returnTo: target, failure: problem)
                    return .script(try delivery.json(), waitsForClick: problem.waitsForClick)
                }, for: caller)
        }
    }

    /// Returns the app of the API key, in the tenant that the request names.
    private func caller(of request: HandlerRequest) async throws -> CallingApp {
        let client = try await call.pipeline.callingApp(apiKey: request.apiKey)
        guard let tenant = request.event.tenant.map({ ID<Tenant>($0) }) else { return client }
        let tenancy = call.services.projects.tenancy
        let find = isForEmulator ? tenancy.realmOfTenant : tenancy.realmOfExistingTenant
        guard tenant.isValidTenantID, let realm = try await find(tenant, client.realm) else {
            throw TenantRefusal.unknown
        }
        guard realm.tenant?.settings.isDisabled != true else { throw TenantRefusal.disabled }
        return CallingApp(realm: realm, app: client.app)
    }

    /// Starts the sign-in, and redirects the browser to the provider.
    private func start(
        _ request: HandlerRequest, for client: CallingApp, returningTo page: AuthorizationTarget
    ) async throws -> Response {
        let started = try await call.services.signIn.flows.start(
            AuthorizationStart(
                provider: request.provider, operation: request.operation,
                delivery: request.isPopup
                    ? .popup(request.event, returnTo: page) : .page(request.event, returnTo: page),
                redirectURI: call.pipeline.callbackURL(of: request.provider, for: call.request, in: client.realm),
                scopes: request.scopes, customParameters: request.customParameters),
            for: client.app, in: client.realm, from: call.context)
        return call.redirect(to: started)
    }

    /// Returns a page about the error.
    ///
    /// - Parameter back: returns how the page leads back to the app.
    private func failure(
        _ error: any Error, back: (FlowProblem) throws -> Page.ReturnToApp, for caller: CallingApp?
    ) async throws -> PageResponse {
        guard let problem = FlowProblem(error) else { throw error }
        let page = Page.flowFailure(
            problem.kind, back: try back(problem), retryQuery: problem.canRetry ? call.encodedQuery : nil,
            try await call.flowPageContext(in: caller?.realm, of: caller?.app.id))
        return PageResponse(page, problem, of: caller?.realm.id)
    }
}

extension EndpointCall {
    /// Redirects the browser to a provider, with the cookie of the flow.
    func redirect(to started: StartedFlow) -> Response {
        // If the URL had no fragment, the browser would add the fragment of this page, which can contain a token of App
        // Check.
        var response = Response.redirect(to: started.authorizationURL + "#")
        if let (cookie, value) = started.cookie {
            let maxAge = Int(AuthorizationFlows.lifetime.components.seconds)
            response.headers.add("Set-Cookie", cookie.setCookieHeader(value: value, maxAge: maxAge))
            // Limits the number of cookies of abandoned flows, because the browser sends all of them with every request
            // to the host.
            for name in request.flowCookieNames.dropLast(AuthorizationFlow.Cookie.maximumKept) {
                response.headers.add("Set-Cookie", cookie.setCookieHeader(removing: name))
            }
        }
        return response
    }
}

extension RequestPipeline {
    /// Returns the redirect URI of a provider. The built-in providers share one URI: the gateway never sends a code
    /// that arrives there to any other provider. Every other provider of every realm (project or tenant) has its own
    /// URI, so that the gateway cannot send a provider's code to another provider.
    func callbackURL(of provider: ProviderID, for request: Request, in realm: Realm) -> String {
        publicURL(of: request, in: realm) + "/__/auth/handler"
            + (provider.isGenericOpenID ? "/\(realm.id.rawValue)/\(provider.rawValue)" : "")
    }
}

extension Response {
    /// Redirects the browser with GET. The redirect is not cached, and the browser sends no referrer.
    static func redirect(to url: String) -> Response {
        Response(
            status: 303,
            headers: ["Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }
}

extension PageResponse {
    /// The page about a failed sign-in.
    init(_ page: Page, _ problem: FlowProblem, of realm: ID<Realm>?) {
        var response = page.flowResponse(status: problem.status)
        // An unreachable provider is the only problem that can be retried but has no refusal. Its delay is two seconds,
        // as in the responses of other operations.
        if let delay = problem.refusal?.retryDelay?.delaySeconds ?? (problem.canRetry ? 2 : nil) {
            response.headers.add("Retry-After", String(delay))
        }
        self.init(response, of: realm, because: problem.refusal)
        fault = problem.fault
    }
}
