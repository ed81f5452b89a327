internal import Encoding
public import HTTP
public import IPAddresses
internal import Identity
public import Telemetry

/// Responds to every request: finds the endpoint, checks access, runs the handler, adds headers, and writes a log line.
///
/// A class, so that the closures of a request capture one reference instead of a copy of all services.
public final class RequestPipeline: Sendable {
    let services: Services
    let access: Access
    let router: Router<Route>
    let rejection: (@Sendable (Request) -> Response?)?
    let pages: ModePages?
    private let observer: (@Sendable (ObservedRequest) -> Void)?
    private let trustedProxies: [IPNetwork]
    let log: Log
    let metrics: GatewayMetrics

    /// - Parameters:
    ///   - endpointsOutsideContract: see ``Route/router(adding:servesMonitoring:)``.
    ///   - servesMonitoring: `false` if only ``monitoringHandler`` serves the operations for monitoring.
    ///   - rejection: returns the response to a request that the mode does not accept, whatever its path.
    ///   - pages: the pages for browsers that the mode adds.
    ///   - observer: is called with each request from outside and its response.
    ///   - trustedProxies: the proxies whose `X-Forwarded-For` is trusted.
    public init(
        services: Services, access: Access, endpointsOutsideContract: [Endpoint] = [],
        servesMonitoring: Bool = true, rejection: (@Sendable (Request) -> Response?)? = nil,
        pages: ModePages? = nil, observer: (@Sendable (ObservedRequest) -> Void)? = nil,
        trustedProxies: [IPNetwork] = [], log: Log, metrics: GatewayMetrics
    ) {
        self.services = services
        self.access = access
        router = Route.router(adding: endpointsOutsideContract, servesMonitoring: servesMonitoring)
        self.rejection = rejection
        self.pages = pages
        self.observer = observer
        self.trustedProxies = trustedProxies
        self.log = log
        self.metrics = metrics
    }

    public func respond(to request: Request) async -> Response {
        await route(request.method, request.path, request.headers).respond(request)
    }

    /// - Parameter method: the method of the operation if a ``MethodOverride`` names it, otherwise `nil`.
    func respond(
        to request: Request, _ match: RouteMatch<Route>, overriding method: HTTP.Method?, isObserved: Bool = true,
        as caller: InProcessCaller? = nil
    ) async -> Response {
        let began = ContinuousClock.now
        let client = network(of: request)
        var outcome = await self.outcome(for: request, match, from: RequestContext(client, request), as: caller)
        outcome.methodOverride = method
        return finish(outcome, of: request, from: client, since: began, isObserved: isObserved)
    }

    /// Responds to a request that a page makes in the process.
    func respondInProcess(to request: Request, as caller: InProcessCaller?) async -> Response {
        let match = match(request.method, request.path, in: router)
        return await respond(to: request, match, overriding: nil, isObserved: false, as: caller)
    }

    /// Returns the app to which the API key in the query of a page belongs.
    func callingApp(apiKey: String?) async throws -> CallingApp {
        try await access.client(CallerCredential(apiKey: apiKey.nonEmpty, bearer: nil))
    }

    /// Whether the request comes from a trusted proxy, which may state the host and the scheme that the client used.
    func isFromTrustedProxy(_ request: Request) -> Bool {
        guard let peer = IPAddress(request.peer) else { return false }
        return trustedProxies.contains { $0.contains(peer) }
    }

    func network(of request: Request) -> ClientNetwork {
        ClientNetwork(
            peer: request.peer, forwardedFor: request.headers.values(of: "X-Forwarded-For"), trusted: trustedProxies)
    }

    /// Adds the common headers, writes the log line and the metrics, and returns the response.
    func finish(
        _ outcome: RequestOutcome, of request: Request, from client: ClientNetwork,
        since began: ContinuousClock.Instant, isObserved: Bool = true
    ) -> Response {
        var outcome = outcome
        addCommonHeaders(to: &outcome, for: request)
        let duration = ContinuousClock.now - began
        if outcome.isLogged { log.writeRequest(outcome, of: request, from: client, duration: duration) }
        metrics.record(outcome, duration: duration)
        services.counts.add(outcome, duration: duration)
        if isObserved, let observer {
            observer(
                ObservedRequest(
                    request, outcome.response, operationID: outcome.operationID, errorCode: outcome.refusalCode,
                    duration: duration))
        }
        return outcome.response
    }

    private func outcome(
        for request: Request, _ match: RouteMatch<Route>, from context: RequestContext, as caller: InProcessCaller?
    ) async -> RequestOutcome {
        if let response = rejection?(request) { return RequestOutcome(rejection: response) }
        guard request.method != .options else { return preflight(request, match) }
        return switch match {
        case .found(.endpoint(let endpoint), let parameters):
            await run(
                endpoint,
                EndpointCall(
                    request: endpoint.readsBody ? request : request.withoutBody, parameters: parameters,
                    context: context, pipeline: self, inProcessCaller: caller))
        case .found(.unimplemented, _): RequestOutcome(RequestRefusal.notImplemented("This operation"))
        case .methodNotAllowed(let allowed): RequestOutcome(RequestRefusal.methodNotAllowed, allowed: allowed)
        case .notFound: pageForUnknownPath(request) ?? RequestOutcome(RequestRefusal.notFound)
        }
    }

    private func pageForUnknownPath(_ request: Request) -> RequestOutcome? {
        guard let pages, request.acceptsHTML, let page = pages.unknownPath(request) else { return nil }
        return RequestOutcome(page: page, refusing: .notFound)
    }

    private func preflight(_ request: Request, _ match: RouteMatch<Route>) -> RequestOutcome {
        guard case .found(.endpoint(let endpoint), _) = match, !endpoint.isReadableByOtherOrigins else {
            return RequestOutcome(Response.preflight(to: request))
        }
        return RequestOutcome(Response(status: 204), of: endpoint)
    }

    /// Checks the caller's access and runs the handler. Handlers are called only here.
    private func run(_ endpoint: Endpoint, _ call: EndpointCall) async -> RequestOutcome {
        var call = call
        var realm: ID<Realm>?
        var isOfApp = false
        do {
            let credential = CallerCredential(call.request)
            let response: Response
            if !endpoint.isPage, let name = call.request.repeatedParameter {
                throw RequestRefusal.invalidField("/\(name)", "must not be repeated")
            }
            switch endpoint.action {
            case .page(let handler): return RequestOutcome(try await handler(call), of: endpoint)
            case .unauthenticated(let handler), .monitoring(let handler): response = try await handler(call)
            case .clientOrAdministrator(_, let needs, let handler)
            where credential.bearer != nil || call.inProcessCaller != nil,
                .administrator(let needs, let handler):
                let administrator = try await authenticate(
                    credential, needing: needs.scope, for: &call, at: endpoint, realm: &realm)
                response = try await handler(call, administrator)
            case .clientOrAdministrator(let handler, _, _), .client(let handler):
                isOfApp = true
                let client = try await authenticate(credential, for: &call, at: endpoint, realm: &realm)
                call.context = call.context.of(client.app)
                response = try await handler(call, client)
            }
            return RequestOutcome(response, of: endpoint, realm: realm, isOfApp: isOfApp)
        } catch {
            return RequestOutcome(error, of: endpoint, realm: realm, isOfApp: isOfApp)
        }
    }

    /// - Parameter realm: is set to the realm of the project, and then to that of the tenant if the request names one.
    ///   The log names the realm even if the request is rejected.
    private func authenticate(
        _ credential: CallerCredential, for call: inout EndpointCall, at endpoint: Endpoint, realm: inout ID<Realm>?
    ) async throws -> CallingApp {
        var client = try await access.client(credential)
        realm = client.realm.id
        if access.checksCallers {
            try client.app.checkCaller(isRequired: client.realm.policy.requiresCallerHeader) {
                call.request.headers[$0]
            }
        }
        client = try await call.resolveTenant(for: client, at: endpoint)
        realm = client.realm.id
        return client
    }

    private func authenticate(
        _ credential: CallerCredential, needing scope: ServiceKeyScope, for call: inout EndpointCall,
        at endpoint: Endpoint, realm: inout ID<Realm>?
    ) async throws -> Administrator {
        let projectInPath = call.parameters["project"].map { ID<Project>($0) }
        let access = access.speaking(for: call.inProcessCaller, at: endpoint)
        let credential = call.inProcessCaller == nil ? credential : .inProcess
        var administrator = try await access.authenticate(
            credential, in: projectInPath, needing: scope, realm: &realm)
        try await call.decodeLargeBody(of: endpoint, for: administrator.realm.project.id)
        if projectInPath == nil {
            call.parseBody()
            if let target = try call.targetProject(), target != administrator.realm.project.id {
                administrator = try await access.authenticate(credential, in: target, needing: scope, realm: &realm)
            }
        }
        administrator = try await call.resolveTenant(for: administrator, at: endpoint)
        if endpoint.isAboutConfiguration {
            guard let stored = try await services.projects.storedRealm(administrator.realm) else {
                if administrator.realm.tenant == nil { throw TenantRefusal.projectUnknown }
                throw RequestRefusal.notFound
            }
            administrator.realm = stored
        }
        administrator.actor = administrator.actor.tracing(call.context.trace)
        realm = administrator.realm.id
        return administrator
    }

    private func addCommonHeaders(to outcome: inout RequestOutcome, for request: Request) {
        let isSameOrigin = outcome.response.headers["Cross-Origin-Resource-Policy"]?.isExactly("same-origin") == true
        if outcome.isReadableByOtherOrigins, !isSameOrigin { outcome.response.headers.allowOrigin(of: request) }
        if pages != nil, outcome.operationID == nil, outcome.isReadableByOtherOrigins {
            outcome.response.headers.add("Vary", "Accept")
        }
        outcome.response.headers.add("X-Request-Id", request.id)
        outcome.response.headers.add("X-Content-Type-Options", "nosniff")
        if outcome.response.headers["Cache-Control"] == nil {
            outcome.response.headers.add("Cache-Control", "no-store")
        }
    }
}
