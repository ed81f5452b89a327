public import HTTP
public import IPAddresses
internal import Identity
public import Telemetry

/// Answers every request: the way in (path, access), the endpoint, and the way out (errors, headers, one log line).
public struct RequestPipeline: Sendable {
    private let services: Services
    let access: Access
    private let router: Router<Route>
    private let trustedProxies: [IPNetwork]
    private let log: Log
    private let metrics: GatewayMetrics

    /// - Parameters:
    ///   - extra: operations beside those of the contract, which come first.
    ///   - trustedProxies: whose `X-Forwarded-For` is believed.
    public init(
        services: Services, access: Access, extra: [Endpoint] = [], trustedProxies: [IPNetwork] = [], log: Log,
        metrics: GatewayMetrics
    ) {
        self.services = services
        self.access = access
        router = Route.router(adding: extra)
        self.trustedProxies = trustedProxies
        self.log = log
        self.metrics = metrics
    }

    public func respond(to request: Request) async -> Response {
        await respond(to: request, match(request.method, request.path))
    }

    func respond(to request: Request, _ match: RouteMatch<Route>) async -> Response {
        let began = ContinuousClock.now
        let client = clientAddress(of: request)
        let exchange = await exchange(for: request, match, from: RequestContext(client, request))
        return answer(exchange, to: request, from: client, since: began)
    }

    func clientAddress(of request: Request) -> ClientAddress {
        ClientAddress(
            peer: request.peer, forwardedFor: request.headers.values(of: "X-Forwarded-For"), trusted: trustedProxies)
    }

    /// The one way out.
    func answer(
        _ exchange: RequestOutcome, to request: Request, from client: ClientAddress,
        since began: ContinuousClock.Instant
    ) -> Response {
        var exchange = exchange
        finish(&exchange, to: request)
        let duration = ContinuousClock.now - began
        log.note(exchange, of: request, from: client.logPrefix, took: duration)
        metrics.note(exchange, took: duration)
        return exchange.response
    }

    private func exchange(
        for request: Request, _ match: RouteMatch<Route>, from origin: RequestContext
    ) async -> RequestOutcome {
        guard request.method != .options else { return preflight(request, match) }
        return switch match {
        case .found(.endpoint(let endpoint), let parameters): await run(endpoint, call(request, parameters, origin))
        case .found(.unimplemented, _): RequestOutcome(RequestRefusal.notImplemented("This operation"))
        case .methodNotAllowed(let allowed): RequestOutcome(RequestRefusal.methodNotAllowed, allowed: allowed)
        case .notFound: RequestOutcome(WireError.notFound)
        }
    }

    private func preflight(_ request: Request, _ match: RouteMatch<Route>) -> RequestOutcome {
        guard case .found(.endpoint(let endpoint), _) = match, endpoint.isPage else {
            return RequestOutcome(CORS.preflight(request))
        }
        return RequestOutcome(Response(status: 204), of: endpoint)
    }

    private func call(_ request: Request, _ parameters: [String: String], _ origin: RequestContext) -> EndpointCall {
        EndpointCall(request: request, parameters: parameters, origin: origin, services: services, metrics: metrics)
    }

    /// The one place where access is checked.
    private func run(_ endpoint: Endpoint, _ call: EndpointCall) async -> RequestOutcome {
        var realm: ID<Realm>?
        do {
            let credential = CallerCredential(call.request)
            let response: Response
            switch endpoint.action {
            case .page(let handler): return RequestOutcome(try await handler(call), of: endpoint)
            case .open(let handler): response = try await handler(call)
            case .either(_, let scope, let handler) where credential.bearer != nil,
                .administrator(let scope, let handler):
                let (call, administrator) = try await enter(
                    endpoint, call, showing: credential, needing: scope, &realm)
                response = try await handler(call, administrator)
            case .either(let handler, _, _), .client(let handler):
                let (call, client) = try await enter(endpoint, call, showing: credential, &realm)
                response = try await handler(call, client)
            }
            return RequestOutcome(response, of: endpoint, realm: realm)
        } catch {
            return RequestOutcome(error, of: endpoint, realm: realm)
        }
    }

    private func enter(
        _ endpoint: Endpoint, _ call: EndpointCall, showing credential: CallerCredential, _ realm: inout ID<Realm>?
    ) async throws -> (EndpointCall, CallingApp) {
        let client = try await access.client(credential)
        realm = client.project.realm
        let entered = try await call.entering(client, at: endpoint)
        realm = entered.1.project.realm
        return entered
    }

    private func enter(
        _ endpoint: Endpoint, _ call: EndpointCall, showing credential: CallerCredential,
        needing scope: ServiceKeyScope,
        _ realm: inout ID<Realm>?
    ) async throws -> (EndpointCall, Administrator) {
        let named = call.parameters["project"].map { ID<Project>($0) }
        let bearer = try credential.administratorBearer
        var administrator = try await access.administrator(bearer, named)
        realm = administrator.project.realm
        if named == nil, let target = try call.targetProject(), target != administrator.project.id {
            administrator = try await access.administrator(bearer, target)
            realm = ID(target)
        }
        try administrator.require(scope)
        let entered = try await call.entering(administrator, at: endpoint)
        realm = entered.1.project.realm
        return entered
    }

    private func finish(_ exchange: inout RequestOutcome, to request: Request) {
        if !exchange.isPage { CORS.open(&exchange.response.headers, to: request) }
        exchange.response.headers.add("X-Request-Id", request.id)
        exchange.response.headers.add("X-Content-Type-Options", "nosniff")
        if exchange.response.headers["Cache-Control"] == nil {
            exchange.response.headers.add("Cache-Control", "no-store")
        }
    }
}

extension RequestPipeline {
    /// Matches a method and a path. HEAD and preflight requests match as GET: the server leaves out the body of an
    /// answer to HEAD, and a preflight request needs to know whether the path is a page.
    func match(_ method: HTTP.Method, _ path: String) -> RouteMatch<Route> {
        let destination = Destination(method == .head || method == .options ? .get : method, path)
        return router.match(destination.method, destination.path)
    }
}

extension Headers {
    func values(of name: String) -> [String] {
        filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
