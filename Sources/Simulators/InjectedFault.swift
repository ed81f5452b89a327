internal import HTTP

/// A fault that a test injects into the responses of a simulated provider.
public enum InjectedFault: Hashable, Sendable {
    case none
    /// The correct response after a delay.
    case slow(Duration)
    /// No response until the connection is closed.
    case silent
    /// Status 503 with an HTML page.
    case unavailable
    /// An HTML page instead of JSON.
    case html(status: Int)
    case tooManyRequests(retryAfterSeconds: Int)
    /// Status 200 with this body, declared as JSON.
    case json(String)
    /// Status 200 without a body.
    case empty
    /// Status 200 with a body of this size, declared as JSON.
    case oversized(bytes: Int)
    case redirect(to: String)

    /// Truncated JSON.
    public static let brokenJSON = InjectedFault.json(#"{"keys":[{"kty":"RSA","#)
    /// Valid JSON of another schema.
    public static let wrongJSON = InjectedFault.json(#"{"message":"moved"}"#)

    /// The response that replaces the provider's; `nil` if none does.
    var response: Response? {
        switch self {
        case .none, .slow, .silent: nil
        case .unavailable: Self.page(status: 503)
        case .html(let status): Self.page(status: status)
        case .tooManyRequests(let seconds): Self.page(status: 429, ["Retry-After": "\(seconds)"])
        case .json(let text): Self.json(Array(text.utf8))
        case .empty: Response(status: 200)
        case .oversized(let bytes): Self.json([UInt8](repeating: UInt8(ascii: " "), count: bytes))
        case .redirect(let target): Response(status: 302, headers: ["Location": target])
        }
    }

    private static func json(_ body: [UInt8]) -> Response {
        Response(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }

    private static func page(status: Int, _ headers: Headers = Headers()) -> Response {
        var headers = headers
        headers.add("Content-Type", "text/html;charset=UTF-8")
        let text = "<!DOCTYPE html><html><head><title>\(status)</title></head><body><h1>Sorry</h1></body></html>"
        return Response(status: status, headers: headers, body: Array(text.utf8))
    }
}
