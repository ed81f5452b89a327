public import HTTP
internal import Identity

/// Routes a request and decides, before its body arrives, how much of it is read.
extension RequestPipeline {
    /// For a server.
    public var handler: RequestHandler { RequestHandler(route: RequestRouting(self).route, overloaded: overloaded) }

    func route(_ method: HTTP.Method, _ path: String) -> MatchedRoute { RequestRouting(self).route(method, path) }

    /// Answers a request, known by its head, whose body does not fit into the memory that the process may use.
    func overloaded(_ head: Request) -> Response {
        answer(RequestOutcome(Overloaded()), to: head, from: clientAddress(of: head), since: .now)
    }

    /// - Returns: `nil` if the head has a service key with the scope. What the body names is checked later.
    fileprivate func refusal(
        of head: Request, for endpoint: Endpoint, needing scope: ServiceKeyScope, in named: ID<Project>?
    ) async -> Response? {
        let began = ContinuousClock.now
        var realm: ID<Realm>?
        do {
            _ = try await access.authenticate(CallerCredential(head), in: named, needing: scope, realm: &realm)
            return nil
        } catch {
            let outcome = RequestOutcome(error, of: endpoint, realm: realm)
            return answer(outcome, to: head, from: clientAddress(of: head), since: began)
        }
    }
}

/// Matches each request once, for its body limit and its answer.
///
/// A class, so that the closures of a request capture one reference instead of a copy of all services.
private final class RequestRouting: Sendable {
    private let pipeline: RequestPipeline

    init(_ pipeline: RequestPipeline) {
        self.pipeline = pipeline
    }

    @Sendable func route(_ method: HTTP.Method, _ path: String) -> MatchedRoute {
        let match = pipeline.match(method, path)
        let limit: BodyLimit = method == .options ? .bytes(Endpoint.openBodyLimit) : bodyLimit(of: match)
        return MatchedRoute(bodyLimit: limit) { [self] request in await pipeline.respond(to: request, match) }
    }

    /// Returns how many bytes of body a request may have. Larger bodies than a client ever sends are read only with a
    /// service key that may use the operation.
    private func bodyLimit(of match: RouteMatch<Route>) -> BodyLimit {
        switch match {
        case .found(.endpoint(let endpoint), let parameters):
            guard endpoint.bodyLimit > Endpoint.clientBodyLimit, let scope = endpoint.scope else {
                return .bytes(min(endpoint.bodyLimit, Endpoint.clientBodyLimit))
            }
            return .checked(endpoint.bodyLimit, unchecked: Endpoint.clientBodyLimit) { [self] head in
                let project = parameters["project"].map { ID<Project>($0) }
                return await pipeline.refusal(of: head, for: endpoint, needing: scope, in: project)
            }
        case .found(.unimplemented, _): return .bytes(Endpoint.clientBodyLimit)
        case .methodNotAllowed, .notFound: return .bytes(Endpoint.openBodyLimit)
        }
    }
}
