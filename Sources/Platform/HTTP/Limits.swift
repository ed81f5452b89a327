internal import IPAddresses

/// Limits of a server. Deadlines are absolute: sending a byte does not extend them.
public struct Limits: Sendable {
    /// Bytes of request line and header fields together; more are answered with 431.
    public let headBytes: Int
    /// Header fields per request; more are answered with 431.
    public let headers: Int
    /// Bytes of body that every route accepts. For more, ``MatchedRoute/bodyLimit`` decides.
    public let bodyBytes: Int
    /// For the whole head: from the start of the connection or, on a reused connection, from the first byte.
    public let headDeadline: Duration
    /// For the whole body after its head, and for the client to receive the whole response.
    public let bodyDeadline: Duration
    /// From the end of a response to the first byte of the next request.
    public let idleDeadline: Duration
    /// Bytes of request bodies that the process holds at one time; see ``BodyBudget``.
    public let heldBodyBytes: Int
    /// Open connections of the process. Shortly below this limit, the longest idle ones are closed; above it, new ones.
    public let connections: Int
    /// Open connections of one IPv4 address or IPv6 /64. A /24 or /56 may have four times as many, a /48 sixteen times.
    /// `nil`: no limit.
    public let connectionsPerAddress: Int?
    /// Whether the connections of a numeric address count towards ``connections`` only.
    public let isExempt: @Sendable (String) -> Bool

    public init(
        headBytes: Int = 16 * 1024, headers: Int = 64, bodyBytes: Int = 1024, headDeadline: Duration = .seconds(5),
        bodyDeadline: Duration = .seconds(10), idleDeadline: Duration = .seconds(60),
        heldBodyBytes: Int = 64 * 1024 * 1024, connections: Int = 8192, connectionsPerAddress: Int? = 256,
        isExempt: @escaping @Sendable (String) -> Bool = isLoopback
    ) {
        self.headBytes = headBytes
        self.headers = headers
        self.bodyBytes = bodyBytes
        self.headDeadline = headDeadline
        self.bodyDeadline = bodyDeadline
        self.idleDeadline = idleDeadline
        self.heldBodyBytes = heldBodyBytes
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.isExempt = isExempt
    }

    /// Whether a numeric address is a loopback address.
    @Sendable public static func isLoopback(_ address: String) -> Bool {
        IPAddress(address)?.isLoopback ?? false
    }
}
