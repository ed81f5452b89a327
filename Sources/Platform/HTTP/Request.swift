/// A request that has passed the front door and arrived completely.
public struct Request: Sendable {
    /// 128 random bits in lowercase hex, made here; nothing a client sends has a part in it.
    public let id: String
    public let method: Method
    /// As it came, percent escapes included, without the query; always begins with "/".
    ///
    /// `OPTIONS *` arrives as "/".
    public let path: String
    /// Percent-decoded, "+" as space; at most 100 pairs.
    public let query: [(name: String, value: String)]
    public let headers: Headers
    public let body: [UInt8]
    /// The numeric address of the socket's other end: a client's, or a proxy's.
    public let peer: String

    public init(
        id: String, method: Method, path: String, query: [(name: String, value: String)] = [],
        headers: Headers = Headers(), body: [UInt8] = [], peer: String
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The first value of that name.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
