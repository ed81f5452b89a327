/// A handler's answer. The server adds `Date`, `Content-Length` and, if required, `Connection`.
public struct Response: Sendable {
    /// 200 to 599; other values are answered with 500.
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// `text` and a line feed, as UTF-8.
    public static func text(status: Int, _ text: String) -> Response {
        Response(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(text)\n".utf8))
    }
}
