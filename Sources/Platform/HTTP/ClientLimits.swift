/// What one client may take up.
public struct ClientLimits: Sendable {
    /// Requests under way, those included that wait for a connection; more fail at once.
    public let requests: Int
    public let connections: Int
    /// To one host and port; requests over this wait.
    public let connectionsPerHost: Int
    /// Connections kept for later requests.
    public let idleConnections: Int
    /// A kept connection is not used again after this, to the second.
    public let idleAge: Duration
    /// Bytes of an answer's status line and header fields together.
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
