/// The head of a request with valid syntax (RFC 9112 §2 to §6).
struct RequestHead {
    let method: Method
    let target: Target
    let headers: Headers
    let framing: Framing
}

/// How a request and its response are delimited.
struct Framing {
    /// From `Content-Length`; zero without one.
    let bodyBytes: Int
    /// Whether the client keeps the connection open (RFC 9112 §9.3).
    let keepsAlive: Bool
    let isHTTP10: Bool
    /// Whether the client waits for `100 Continue` (RFC 9110 §10.1.1).
    let expectsContinue: Bool
}
