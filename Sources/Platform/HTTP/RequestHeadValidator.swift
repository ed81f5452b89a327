/// The head of a request that the server accepts, with its route.
struct ValidatedHead {
    let head: RequestHead
    /// The body may be read only if this returns `nil`; otherwise it returns the response.
    let check: (@Sendable (Request) async -> Response?)?
    let respond: @Sendable (Request) async -> Response

    var bodyBytes: Int { head.framing.bodyBytes }
}

/// Decides by their heads alone which requests the server accepts.
struct RequestHeadValidator: Sendable {
    let limits: Limits
    /// By method and undecoded path.
    let route: @Sendable (Method, String) -> MatchedRoute

    func validate(_ head: RequestHead) throws(RequestRejection) -> ValidatedHead {
        let bodyBytes = head.framing.bodyBytes
        let route = route(head.method, head.target.path)
        let limit = bodyBytes <= limits.bodyBytes ? .bytes(bodyBytes) : route.bodyLimit
        guard bodyBytes <= limit.bytes else { throw .bodyTooLarge }
        return ValidatedHead(head: head, check: limit.check(for: bodyBytes), respond: route.respond)
    }
}
