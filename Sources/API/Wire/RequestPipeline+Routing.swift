internal import Encoding
public import HTTP
internal import Identity

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
    func match(_ method: HTTP.Method, _ path: String, in router: Router<Route>) -> RouteMatch<Route> {
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
            case .found(.endpoint(let endpoint), _) = match(head.method, head.path, in: router), endpoint.isPage,
            let page = pages.tooLargeForm(head)
        else { return nil }
        return RequestOutcome(page: page, refusing: .requestTooLarge)
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
    /// The response to a request whose head is rejected. A target that is too long gets JSON. The origin is not known
    /// if the head exceeds the limit, so pages of all origins can read this response, which is always the same.
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
