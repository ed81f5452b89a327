internal import IPAddresses

/// Limits of a server. Deadlines limit whole phases: a client that sends a byte does not extend them.
public struct Limits: Sendable {
    /// The maximum size of the request line and header fields together, in bytes. Larger heads are rejected
    /// with 431, or with 414 if the request line alone is larger.
    public let headBytes: Int
    /// The maximum number of header fields. Requests with more are rejected with 431.
    public let headers: Int
    /// The body size in bytes that every route accepts. For larger bodies, ``MatchedRoute/bodyLimit`` applies.
    public let bodyBytes: Int
    /// The time limit for the whole head, from the start of the connection or, on a reused connection, from the first
    /// byte of the head. On a reused connection, the head must also be complete within ``idleDeadline``.
    public let headDeadline: Duration
    /// The time limit for receiving the whole body after its head, and, separately, for sending the whole response.
    public let bodyDeadline: Duration
    /// The time limit from the end of a response to the first byte of the next request.
    public let idleDeadline: Duration
    /// The maximum size of all request bodies in memory, in bytes. A body that exceeds a quarter of the free bytes is
    /// not read; see ``RequestHandler/overloaded``.
    public let bodyBudgetBytes: Int
    /// The maximum number of open connections. Near this limit, the server closes the connections that have been idle
    /// longest. Above it, the server closes new connections.
    public let connections: Int
    /// The maximum number of open connections of one IPv4 address or IPv6 /64; `nil` for no limit. The limit is four
    /// times as high for an IPv4 /24 or IPv6 /56, and sixteen times as high for an IPv6 /48.
    public let connectionsPerAddress: Int?
    /// Whether the connections of a numeric address are exempt from ``connectionsPerAddress``.
    public let isExempt: @Sendable (String) -> Bool

    public init(
        headBytes: Int = 16 * 1024, headers: Int = 64, bodyBytes: Int = 1024, headDeadline: Duration = .seconds(5),
        bodyDeadline: Duration = .seconds(10), idleDeadline: Duration = .seconds(60),
        bodyBudgetBytes: Int = 64 * 1024 * 1024, connections: Int = 8192, connectionsPerAddress: Int? = 256,
        isExempt: @escaping @Sendable (String) -> Bool = isLoopback
    ) {
        self.headBytes = headBytes
        self.headers = headers
        self.bodyBytes = bodyBytes
        self.headDeadline = headDeadline
        self.bodyDeadline = bodyDeadline
        self.idleDeadline = idleDeadline
        self.bodyBudgetBytes = bodyBudgetBytes
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.isExempt = isExempt
    }

    /// Whether a numeric address is a loopback address.
    @Sendable public static func isLoopback(_ address: String) -> Bool {
        IPAddress(address)?.isLoopback ?? false
    }
}
