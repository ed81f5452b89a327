public import HTTP
internal import Identity

/// Which bodies are read, decided before they are.
extension RequestPipeline {
    /// For a server.
    public var handler: RequestHandler {
        RequestHandler(bodyLimit: bodyLimit, overloaded: overloaded, respond: respond(to:))
    }

    /// Answers a request, known by its head, whose body does not fit into what the process may hold.
    func overloaded(_ head: Request) -> Response {
        answer(RequestOutcome(Overloaded()), to: head, from: clientAddress(of: head), since: .now)
    }

    /// How many bytes of body a request may have. More than a client ever sends is read only for a service key that may
    /// use the operation.
    func bodyLimit(_ method: HTTP.Method, _ path: String) -> BodyLimit {
        switch Route.match(method, path) {
        case .found(.endpoint(let endpoint), let parameters):
            guard endpoint.bodyLimit > Endpoint.clientBodyLimit, let scope = endpoint.scope else {
                return .bytes(min(endpoint.bodyLimit, Endpoint.clientBodyLimit))
            }
            let project = parameters["project"].map { ID<Project>($0) }
            return .checked(endpoint.bodyLimit, unchecked: Endpoint.clientBodyLimit) { head in
                await refusal(of: head, for: endpoint, needing: scope, in: project)
            }
        case .found(.unimplemented, _): return .bytes(Endpoint.clientBodyLimit)
        case .methodNotAllowed, .notFound: return .bytes(Endpoint.openBodyLimit)
        }
    }

    /// - Returns: `nil` if the head shows a service key that may use the operation; what the body names is checked later.
    private func refusal(
        of head: Request, for endpoint: Endpoint, needing scope: ServiceKeyScope, in named: ID<Project>?
    ) async -> Response? {
        let began = ContinuousClock.now
        var realm: ID<Realm>?
        do {
            let bearer = try CallerCredential(head).administratorBearer
            let administrator = try await access.administrator(bearer, named)
            realm = administrator.project.realm
            try administrator.require(scope)
            return nil
        } catch {
            let exchange = RequestOutcome(error, of: endpoint, realm: realm)
            return answer(exchange, to: head, from: clientAddress(of: head), since: began)
        }
    }
}
