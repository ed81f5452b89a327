/// What the gateway asks of another server.
public struct ClientRequest: Sendable {
    /// Who chose the URL, and what it may therefore reach.
    public enum Destination: Sendable {
        /// Chosen by us: any address, but unencrypted only this machine's own.
        case anywhere
        /// Chosen by a configuration: https only and, unless the operator allows it, no address that is private to
        /// a network, a host or a cloud. It is the address connected to that counts, whatever the name said before.
        case configured(allowingPrivate: Bool)
    }

    public var method: Method
    /// Absolute, http or https, without user information; visible US-ASCII.
    public var url: String
    /// Framing, `Host` and `User-Agent` are the client's own; a `Content-Type` is sent only if it stands here.
    public var headers: Headers
    public var body: [UInt8]
    /// For all of it, from the wait for a connection and the look-up of the name to the last byte of the answer.
    public var deadline: Duration
    /// Bytes of the answer's body.
    public var maximumLength: Int
    public var destination: Destination

    public init(
        _ method: Method, _ url: String, headers: Headers = Headers(), body: [UInt8] = [],
        deadline: Duration = .seconds(10), maximumLength: Int = 256 * 1024, destination: Destination
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.maximumLength = maximumLength
        self.destination = destination
    }
}

/// What the other server answered, a redirect or an error of its own included.
public struct ClientResponse: Sendable {
    public let status: Int
    public let headers: Headers
    public let body: [UInt8]
}
