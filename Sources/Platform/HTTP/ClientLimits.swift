/// Limits of one client.
public struct ClientLimits: Sendable {
    /// Requests in progress, including those that wait for a connection; further ones fail at once.
    public let requests: Int
    public let connections: Int
    /// To one host and port; further requests wait.
    public let connectionsPerHost: Int
    /// Idle connections that are kept open.
    public let idleConnections: Int
    /// How long an idle connection may be reused, rounded to seconds.
    public let idleAge: Duration
    /// Bytes of a response's status line and header fields together.
    public let headBytes: Int

    public init(
        requests: Int = 1000, connections: Int = 64, connectionsPerHost: Int = 8, idleConnections: Int = 16,
        idleAge: Duration = .seconds(30), headBytes: Int = 32 * 1024
    ) {
        self.requests = requests
        self.connections = connections
        self.connectionsPerHost = connectionsPerHost
        self.idleConnections = idleConnections
        self.idleAge = idleAge
        self.headBytes = headBytes
    }
}
