/// Answers the requests of one loop.
public struct RequestHandler: Sendable {
    /// Finds the route by method and undecoded path. Called once per request, before its body is read.
    let route: @Sendable (Method, String) -> MatchedRoute
    /// Returns the response to a request whose body is not read, because the process holds too many bytes of bodies.
    /// Receives the request without its body.
    let overloaded: @Sendable (Request) -> Response

    public init(
        route: @escaping @Sendable (Method, String) -> MatchedRoute,
        overloaded: @escaping @Sendable (Request) -> Response
    ) {
        self.route = route
        self.overloaded = overloaded
    }

    /// For a handler that answers every path.
    public init(
        bodyLimit: @escaping @Sendable (Method, String) -> BodyLimit,
        overloaded: @escaping @Sendable (Request) -> Response,
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(route: { MatchedRoute(bodyLimit: bodyLimit($0, $1), respond: respond) }, overloaded: overloaded)
    }
}

/// The route of one request.
public struct MatchedRoute: Sendable {
    /// Applies to bodies above ``Limits/bodyBytes``; smaller ones are always read.
    public let bodyLimit: BodyLimit
    public let respond: @Sendable (Request) async -> Response

    public init(bodyLimit: BodyLimit, respond: @escaping @Sendable (Request) async -> Response) {
        self.bodyLimit = bodyLimit
        self.respond = respond
    }
}

/// How many bytes of body a request may have.
public enum BodyLimit: Sendable {
    case bytes(Int)
    /// Up to `bytes`. A body above `unchecked` bytes is read only after `refusal`, called with the request without
    /// its body, has returned `nil`.
    case checked(Int, unchecked: Int, refusal: @Sendable (Request) async -> Response?)

    public var bytes: Int {
        switch self {
        case .bytes(let bytes), .checked(let bytes, _, _): bytes
        }
    }

    /// - Returns: the check that a body of `count` bytes needs before it is read, if any.
    func check(for count: Int) -> (@Sendable (Request) async -> Response?)? {
        guard case .checked(_, let unchecked, let refusal) = self, count > unchecked else { return nil }
        return refusal
    }
}
