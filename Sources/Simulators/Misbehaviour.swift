internal import HTTP

/// What providers do on bad days.
public enum Misbehaviour: Hashable, Sendable {
    case none
    /// The right answer, this much later.
    case slow(Duration)
    /// Takes the request and says nothing, until the client or the server goes away.
    case silent
    /// 503, and a page for people.
    case unavailable
    /// A page for people where JSON was asked for.
    case html(status: Int)
    case tooManyRequests(retryAfterSeconds: Int)
    /// 200 with this body, declared as JSON.
    case json(String)
    /// 200 and no body.
    case empty
    /// 200 and so many bytes, declared as JSON.
    case oversized(bytes: Int)
    case redirect(to: String)

    /// Cut off in the middle.
    public static let brokenJSON = Misbehaviour.json(#"{"keys":[{"kty":"RSA","#)
    /// Sound JSON, of another shape.
    public static let wrongJSON = Misbehaviour.json(#"{"message":"moved"}"#)

    /// `nil` where the answer itself is right.
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
