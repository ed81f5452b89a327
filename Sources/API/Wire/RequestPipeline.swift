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
    private let access: Access
    private let router: Router<Route>
    private let rejection: (@Sendable (Request) -> Response?)?
    private let pages: ModePages?
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
    private func respond(
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

    private func network(of request: Request) -> ClientNetwork {
        ClientNetwork(
            peer: request.peer, forwardedFor: request.headers.values(of: "X-Forwarded-For"), trusted: trustedProxies)
    }

    /// Adds the common headers, writes the log line and the metrics, and returns the response.
    private func finish(
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
        guard let pages, request.acceptsHTML else { return nil }
        return RequestOutcome(page: pages.unknownPath(request), refusing: .notFound)
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

/// Routes a request and decides, before its body arrives, how much of the body is read.
extension RequestPipeline {
    /// The handler that a server calls for each request.
    public var handler: RequestHandler {
        RequestHandler(route: route, rejected: rejected, headRejected: { $0.readableResponse })
    }

    /// The handler of a listener that serves only the operations for monitoring.
    public var monitoringHandler: RequestHandler {
        RequestHandler(
            route: { [self] method, path, _ in route(method, path, in: Route.monitoringRouter) }, rejected: rejected)
    }

    @Sendable func route(_ method: HTTP.Method, _ path: String, _ headers: Headers = [:]) -> MatchedRoute {
        do {
            let target = try overriddenMethod(method, path, headers)
            return route(target ?? method, path, in: router, overriding: target)
        } catch {
            return MatchedRoute(bodyLimit: .bytes(Endpoint.minimalBodyLimit)) { [self] request in
                finish(RequestOutcome(error), of: request, from: network(of: request), since: .now)
            }
        }
    }

    private func route(
        _ method: HTTP.Method, _ path: String, in router: Router<Route>, overriding target: HTTP.Method? = nil
    ) -> MatchedRoute {
        let match = match(method, path, in: router)
        let limit: BodyLimit = method == .options ? .bytes(Endpoint.minimalBodyLimit) : bodyLimit(of: match)
        return MatchedRoute(bodyLimit: limit) { [self] in await respond(to: $0, match, overriding: target) }
    }

    /// Returns the method that replaces the method of a request; `nil` if the request has no ``MethodOverride``, or if
    /// its path has no operation for administrators with one of ``MethodOverride/methods``.
    ///
    /// - Throws: ``RequestRefusal`` for an invalid override.
    private func overriddenMethod(
        _ method: HTTP.Method, _ path: String, _ headers: Headers
    ) throws(RequestRefusal) -> HTTP.Method? {
        guard let override = MethodOverride(method, headers), !RequestTarget(method, path).isLegacyName,
            MethodOverride.methods.contains(where: { match($0, path, in: router).isForAdministrators })
        else { return nil }
        return try override.method()
    }

    /// Matches a method and a path. HEAD and preflight requests match like GET: the server omits the body of a response
    /// to HEAD, and the response to a preflight request depends on whether the path is a page.
    private func match(_ method: HTTP.Method, _ path: String, in router: Router<Route>) -> RouteMatch<Route> {
        let target = RequestTarget(method == .head || method == .options ? .get : method, path)
        return router.match(target.method, target.path)
    }

    /// Returns the maximum size of a request's body. A body of more than 64 KiB is read only if the request has
    /// a service key with the scope of the operation.
    private func bodyLimit(of match: RouteMatch<Route>) -> BodyLimit {
        switch match {
        case .found(.endpoint(let endpoint), let parameters):
            guard endpoint.bodyLimit > Endpoint.smallBodyLimit, let scope = endpoint.scope else {
                return .bytes(min(endpoint.bodyLimit, Endpoint.uploadBodyLimit))
            }
            return .checked(max: endpoint.bodyLimit, uncheckedUpTo: Endpoint.smallBodyLimit) { [self] head in
                let project = parameters["project"].map { ID<Project>($0) }
                return await rejection(of: head, for: endpoint, needing: scope, in: project)
            }
        case .found(.unimplemented, _): return .bytes(Endpoint.smallBodyLimit)
        case .methodNotAllowed, .notFound: return .bytes(Endpoint.minimalBodyLimit)
        }
    }

    /// Returns the response to a request whose body is rejected. Only the head of the request has been read.
    @Sendable func rejected(_ rejection: BodyRejection, _ head: Request) -> Response {
        let outcome = pageForTooLargeForm(rejection, head) ?? RequestOutcome(rejection.error)
        return finish(outcome, of: head, from: network(of: head), since: .now)
    }

    private func pageForTooLargeForm(_ rejection: BodyRejection, _ head: Request) -> RequestOutcome? {
        guard let pages, rejection == .tooLarge, head.acceptsHTML, self.rejection?(head) == nil,
            case .found(.endpoint(let endpoint), _) = match(head.method, head.path, in: router), endpoint.isPage
        else { return nil }
        return RequestOutcome(page: pages.tooLargeForm(head), refusing: .requestTooLarge)
    }

    /// Returns the response to a request that the mode does not accept, or whose head does not authorize it to send
    /// a large body.
    ///
    /// - Returns: `nil` if the head has a service key with the scope. The project and tenant in the body are checked
    ///   later.
    private func rejection(
        of head: Request, for endpoint: Endpoint, needing scope: ServiceKeyScope, in project: ID<Project>?
    ) async -> Response? {
        let began = ContinuousClock.now
        if let response = self.rejection?(head) {
            return finish(RequestOutcome(rejection: response), of: head, from: network(of: head), since: began)
        }
        var realm: ID<Realm>?
        do {
            _ = try await access.authenticate(CallerCredential(head), in: project, needing: scope, realm: &realm)
            return nil
        } catch {
            let outcome = RequestOutcome(error, of: endpoint, realm: realm)
            return finish(outcome, of: head, from: network(of: head), since: began)
        }
    }
}

extension RequestRejection {
    /// The response to a request whose head is rejected. A target that is too long gets JSON. The origin is not known if
    /// the head exceeds the limit, so pages of all origins can read this response, which is always the same.
    var readableResponse: Response {
        var response = response
        switch self {
        case .targetTooLong:
            // If the response cannot be encoded, the plain text is sent.
            response = (try? ErrorEnvelope.identityToolkit.response(RequestRefusal.rejected(.uriTooLong))) ?? response
        case .headTooLarge: break
        case .malformedLine, .unknownMethod, .malformedTarget, .malformedHeader, .invalidHost, .ambiguousLength,
            .unknownTransferCoding, .versionNotSupported:
            return response
        }
        response.headers.add("Access-Control-Allow-Origin", "*")
        return response
    }
}

extension RouteMatch<Route> {
    /// Whether only administrators can call the operation.
    fileprivate var isForAdministrators: Bool {
        if case .found(.endpoint(let endpoint), _) = self, case .administrator = endpoint.action { true } else { false }
    }
}

extension BodyRejection {
    fileprivate var error: any Error {
        switch self {
        case .overloaded: Overloaded()
        case .tooLarge: RequestRefusal.rejected(.requestTooLarge)
        case .malformedChunk: RequestRefusal.unreadableBody("The chunked body is malformed.")
        case .unsupportedCoding:
            RequestRefusal.rejected(.unsupportedMediaType, "Only the content coding gzip is supported.")
        case .malformedGzip: RequestRefusal.unreadableBody("The body is not valid gzip.")
        }
    }
}
