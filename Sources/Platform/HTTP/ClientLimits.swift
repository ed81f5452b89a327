/// Limits of one client. Requests that may reach only public addresses do not share connections with other requests, so
/// the limits of connections apply to each of these two groups separately.
public struct ClientLimits: Sendable {
    /// The maximum number of requests in progress, including those that wait for a connection. Further requests fail at
    /// once.
    public let requests: Int
    /// The maximum number of connections; further requests wait.
    public let connections: Int
    /// The maximum number of connections to one host and port; further requests wait.
    public let connectionsPerHost: Int
    /// The maximum number of idle connections that are kept open.
    public let idleConnections: Int
    /// How long an idle connection may be reused, rounded down to seconds; at least 1 second.
    public let maximumIdleTime: Duration
    /// The maximum size of a response's status line and header fields together, in bytes.
    public let headBytes: Int

    public init(
        requests: Int = 1000, connections: Int = 64, connectionsPerHost: Int = 8, idleConnections: Int = 16,
        maximumIdleTime: Duration = .seconds(30), headBytes: Int = 32 * 1024
    ) {
        self.requests = requests
        self.connections = connections
        self.connectionsPerHost = connectionsPerHost
        self.idleConnections = idleConnections
        self.maximumIdleTime = maximumIdleTime
        self.headBytes = headBytes
    }
}
