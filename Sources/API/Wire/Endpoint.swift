public import Encoding
public import HTTP
public import Identity
internal import JSON

/// An operation of the API. ``all`` lists the operations of the contract (`openapi.yaml`).
public struct Endpoint: Sendable {
    public let operationID: String
    public let method: HTTP.Method
    /// A template; see ``HTTP/Router``.
    public let path: String
    /// The maximum size of the body, in bytes.
    public let bodyLimit: Int
    let errors: ErrorEnvelope
    let action: Action
    /// Whether the operation is the variant of another operation with a tenant in its path; see ``inTenant``.
    var isBelowTenant = false
    /// Whether the operation serves disabled tenants too.
    var servesDisabledTenants = false
    /// Whether the log has a line for each request. An operation that a page calls every few seconds is not logged.
    var isLogged = true
    /// The type that the handler decodes from a body that is larger than ``LargeBody/threshold``.
    var largeContent: (any (Decodable & Sendable).Type)?

    /// The handler. The case determines who may call the operation. A handler for clients or administrators takes the
    /// caller that ``Access`` returned.
    enum Action: Sendable {
        case unauthenticated(@Sendable (EndpointCall) async throws -> Response)
        case page(@Sendable (EndpointCall) async throws -> PageResponse)
        case monitoring(@Sendable (EndpointCall) async throws -> Response)
        case client(@Sendable (EndpointCall, CallingApp) async throws -> Response)
        case administrator(needs: OperationNeeds, @Sendable (EndpointCall, Administrator) async throws -> Response)
        /// A request with a bearer token is an administrator's; any other request is a client's.
        case clientOrAdministrator(
            client: @Sendable (EndpointCall, CallingApp) async throws -> Response, needs: OperationNeeds,
            administrator: @Sendable (EndpointCall, Administrator) async throws -> Response)
    }

    /// What an administrator needs; `nil` if the operation is not for administrators.
    public var needs: OperationNeeds? {
        switch action {
        case .page, .monitoring, .unauthenticated, .client: nil
        case .administrator(let needs, _), .clientOrAdministrator(_, let needs, _): needs
        }
    }

    /// The scope that a service key needs; `nil` if the operation is not for administrators.
    public var scope: ServiceKeyScope? { needs?.scope }

    /// Whether the query or the body may name the tenant whose accounts the operation uses. For operations on
    /// configuration (`/v2/projects/`), only the path can name the tenant.
    var acceptsTenantInQueryOrBody: Bool { !isAboutConfiguration }

    /// Whether the operation shows or changes the configuration of a project or tenant. An administrator then gets the
    /// stored configuration: with a cached one, a client that reads, edits and writes it would revert an earlier
    /// change.
    var isAboutConfiguration: Bool { path.beginsExactly(with: "/v2/projects/") }

    /// The same operation, which serves disabled tenants too.
    var servingDisabledTenants: Endpoint {
        var endpoint = self
        endpoint.servesDisabledTenants = true
        return endpoint
    }

    /// The same operation with a tenant in its path.
    public var inTenant: Endpoint {
        // Administrators can also configure disabled tenants.
        Endpoint(
            operationID: operationID + "InTenant", method: method,
            path: path.replacing(
                "/projects/{project}", with: "/projects/{project}/tenants/{tenant}", maxReplacements: 1),
            bodyLimit: bodyLimit, errors: errors, action: action, isBelowTenant: true,
            servesDisabledTenants: servesDisabledTenants || !acceptsTenantInQueryOrBody, largeContent: largeContent)
    }

    static let smallBodyLimit = 64 * 1024
    /// For operations that read no body, and for operations outside the contract, which read only short bodies.
    static let minimalBodyLimit = 1024
    static let formBodyLimit = 8 * 1024
    /// Fits a form with an image of a brand. No larger body is read before the caller is authorized.
    public static let uploadBodyLimit = 72 * 1024
    /// Fits a batch of a thousand accounts with 4 KiB each.
    static let batchBodyLimit = 4 * 1024 * 1024

    /// Whether the handler gets the body. Some clients send a body with GET and DELETE, which has no meaning (RFC 9110
    /// §9.3.1, §9.3.5) and is dropped.
    var readsBody: Bool { Self.readsBody(method) }

    private static func readsBody(_ method: HTTP.Method) -> Bool { method != .get && method != .delete }

    /// The body limit of an operation, unless the operation sets another one.
    private static func defaultBodyLimit(of method: HTTP.Method) -> Int {
        readsBody(method) ? smallBodyLimit : minimalBodyLimit
    }

    /// An operation of the client API.
    static func client(
        _ operationID: String, _ method: HTTP.Method, _ path: String, errors: ErrorEnvelope = .identityToolkit,
        handler: @escaping @Sendable (EndpointCall, CallingApp) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: defaultBodyLimit(of: method),
            errors: errors, action: .client(handler))
    }

    /// An operation of the admin API. If the path names the project, it contains `{project}`.
    static func administrator(
        _ operationID: String, _ method: HTTP.Method, _ path: String, needs: OperationNeeds,
        handler: @escaping @Sendable (EndpointCall, Administrator) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: defaultBodyLimit(of: method),
            errors: .identityToolkit, action: .administrator(needs: needs, handler))
    }

    /// An operation of the admin API whose body, a `Content`, is large, for example a batch.
    static func batch<Content: Decodable & Sendable>(
        _ operationID: String, _ path: String, bodyLimit: Int = batchBodyLimit, needs: OperationNeeds,
        handler: @escaping @Sendable (EndpointCall, Administrator, Content) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: path, bodyLimit: bodyLimit, errors: .identityToolkit,
            action: .administrator(needs: needs) { call, administrator in
                try await handler(call, administrator, call.body(as: Content.self, for: administrator))
            }, largeContent: Content.self)
    }

    /// An operation of the client API that administrators may call with more rights.
    static func clientOrAdministrator(
        _ operationID: String, _ method: HTTP.Method, _ path: String, needs: OperationNeeds,
        client: @escaping @Sendable (EndpointCall, CallingApp) async throws -> Response,
        administrator: @escaping @Sendable (EndpointCall, Administrator) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: defaultBodyLimit(of: method),
            errors: .identityToolkit,
            action: .clientOrAdministrator(client: client, needs: needs, administrator: administrator))
    }

    /// An operation that needs no credentials.
    static func unauthenticated(
        _ operationID: String, _ path: String, _ method: HTTP.Method = .get,
        handler: @escaping @Sendable (EndpointCall) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: defaultBodyLimit(of: method),
            errors: .identityToolkit, action: .unauthenticated(handler))
    }

    /// A public page. Pages of other origins cannot read it. With the method POST, the operation receives a form.
    ///
    /// - Parameter bodyLimit: `nil` for the default of pages.
    static func page(
        _ operationID: String, _ method: HTTP.Method, _ path: String, bodyLimit: Int? = nil,
        handler: @escaping @Sendable (EndpointCall) async throws -> PageResponse
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path,
            bodyLimit: bodyLimit ?? (method == .post ? formBodyLimit : minimalBodyLimit), errors: .identityToolkit,
            action: .page { call in
                var page = try await handler(call)
                call.storeLanguage(in: &page.response)
                return page
            })
    }

    /// An operation for the operator's monitoring, which needs no credentials. Pages of other origins cannot read it.
    static func monitoring(
        _ operationID: String, _ path: String, handler: @escaping @Sendable (EndpointCall) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .get, path: path, bodyLimit: minimalBodyLimit, errors: .identityToolkit,
            action: .monitoring(handler))
    }

    /// A page outside the contract, which the composition root adds. Pages of other origins cannot read it. With the
    /// method POST, the operation receives a form.
    ///
    /// - Parameter bodyLimit: at most ``uploadBodyLimit``; `nil` for 64 KiB.
    public static func pageOutsideContract(
        _ operationID: String, _ method: HTTP.Method, _ path: String, isLogged: Bool = true, bodyLimit: Int? = nil,
        handler: @escaping @Sendable (EndpointCall) async throws -> Response
    ) -> Endpoint {
        var endpoint = Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: bodyLimit ?? defaultBodyLimit(of: method),
            errors: .identityToolkit, action: .page { PageResponse(try await handler($0)) })
        endpoint.isLogged = isLogged
        return endpoint
    }

    var isPage: Bool {
        if case .page = action { true } else { false }
    }

    var isForMonitoring: Bool {
        if case .monitoring = action { true } else { false }
    }

    /// Whether pages of other origins can read the response.
    var isReadableByOtherOrigins: Bool { !isPage && !isForMonitoring }

    /// A public operation outside the contract, which the composition root adds. Its body has at most 1 KiB.
    public static func outsideContract(
        _ operationID: String, _ method: HTTP.Method, _ path: String,
        handler: @escaping @Sendable (EndpointCall) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: method, path: path, bodyLimit: minimalBodyLimit, errors: .identityToolkit,
            action: .unauthenticated(handler))
    }
}

/// A request, with the values that its handler needs.
public struct EndpointCall: Sendable {
    public let request: Request
    /// The parameters of the path, by name.
    public let parameters: [String: String]
    /// The client's network and device, the requested language, and the trace for the audit trail.
    public internal(set) var context: RequestContext
    let pipeline: RequestPipeline
    /// The parsed body; `nil` before ``parseBody()`` has run, and for a large body.
    var parsedBody: Result<ParsedJSON, JSONFault>?
    /// `nil` for a body of up to ``LargeBody/threshold`` bytes, and before it is decoded.
    var largeBody: LargeBody?
    /// `nil` for a request from outside, and for one that a page makes with a bearer token.
    var inProcessCaller: InProcessCaller?
}

extension Request {
    /// The first parameter of the query that is repeated. Two programs can use different values of it: the gateway the
    /// first, and a proxy, or the script of a page, another.
    var repeatedParameter: ByteText? { query.count < 2 ? nil : query.map(\.name).firstDuplicate }
}

extension EndpointCall {
    var services: Services { pipeline.services }

    /// Returns the secret in the header `Sekisho-Resumption-Key`, if the request has it. If the response to a request
    /// that replaces the session is lost, the client gets the new tokens with this secret and its former refresh token.
    func resumptionKeyInHeader() throws(RequestRefusal) -> ResumptionKey? {
        guard let text = request.headers["Sekisho-Resumption-Key"] else { return nil }
        guard let key = ResumptionKey(text) else {
            throw .rejected(
                .invalidArgument, "The header Sekisho-Resumption-Key must have 22 to 128 characters of base64url.")
        }
        return key
    }

    /// Performs a request in the process, with all checks of a request from outside. ``RequestPipeline`` does not pass
    /// it to the observer of requests.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, without the query.
    ///   - caller: the person whose permissions apply; `nil` if the bearer token decides.
    public func perform(
        _ method: HTTP.Method, _ path: String, query: [(name: ByteText, value: String)] = [], bearer: String? = nil,
        as caller: InProcessCaller? = nil, body: [UInt8] = []
    ) async -> Response {
        let kept = ["Host", "User-Agent", "X-Forwarded-For"].flatMap { name in
            request.headers.values(of: name).map { (name: name, value: $0) }
        }
        let authorization = bearer.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        return await pipeline.respondInProcess(
            to: Request(
                id: request.id, method: method, path: path, query: query, headers: Headers(kept + authorization),
                body: body, peer: request.peer, presence: request.presence), as: caller)
    }

    /// Returns the Boolean parameter `name` of the query; `false` if it is absent or empty.
    func booleanInQuery(_ name: ByteText) throws(RequestRefusal) -> Bool {
        switch request.query(name).nonEmpty {
        case nil, "false": return false
        case "true": return true
        default: throw .invalidField("/\(name)", "must be true or false")
        }
    }
}
