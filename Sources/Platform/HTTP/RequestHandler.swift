/// Answers the requests of one loop.
public struct RequestHandler: Sendable {
    /// By method and undecoded path. Called only for bodies above ``Limits/bodyBytes``.
    let bodyLimit: @Sendable (Method, String) -> BodyLimit
    /// Answers a request, given without its body, because the process holds too many bytes of bodies.
    let overloaded: @Sendable (Request) -> Response
    let respond: @Sendable (Request) async -> Response

    public init(
        bodyLimit: @escaping @Sendable (Method, String) -> BodyLimit,
        overloaded: @escaping @Sendable (Request) -> Response,
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.bodyLimit = bodyLimit
        self.overloaded = overloaded
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

    /// What has to be asked before a body of `count` bytes is read.
    func check(for count: Int) -> (@Sendable (Request) async -> Response?)? {
        guard case .checked(_, let unchecked, let refusal) = self, count > unchecked else { return nil }
        return refusal
    }
}
