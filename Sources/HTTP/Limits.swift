/// What one client may take up. Deadlines are absolute: sending a byte does not extend them.
public struct Limits: Sendable {
    /// Bytes of request line and header fields together; more is answered with 431.
    public let headBytes: Int
    /// Header fields per request; more is answered with 431.
    public let headers: Int
    /// For a whole head: since the connection was made or, on a connection already used, since the request line.
    public let headDeadline: Duration
    /// For a whole body since its head, and for the client to take the whole answer.
    public let bodyDeadline: Duration
    /// From the end of an answer to the next request line.
    public let idleDeadline: Duration
    /// Connections over this are closed as soon as they are made.
    public let connectionsPerLoop: Int

    public init(
        headBytes: Int = 16 * 1024, headers: Int = 64, headDeadline: Duration = .seconds(5),
        bodyDeadline: Duration = .seconds(10), idleDeadline: Duration = .seconds(60), connectionsPerLoop: Int = 4096
    ) {
        self.headBytes = headBytes
        self.headers = headers
        self.headDeadline = headDeadline
        self.bodyDeadline = bodyDeadline
        self.idleDeadline = idleDeadline
        self.connectionsPerLoop = connectionsPerLoop
    }
}
