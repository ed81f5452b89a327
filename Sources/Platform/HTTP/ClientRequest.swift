/// A request to another server.
public struct ClientRequest: Sendable {
    /// The allowed schemes and addresses, by the source of the URL.
    public enum Destination: Sendable {
        /// For URLs that the operator chose or allowed: any address with https; http only on this machine.
        case fromOperator
        /// For URLs from the configuration of a project: https only, to public addresses unless the operator allows
        /// private ones. The check applies to the address of the connection, because names can resolve differently each
        /// time.
        case fromProject(allowingPrivateAddresses: Bool)
    }

    public var method: Method
    /// Absolute, http or https, without user information; visible ASCII of at most 8192 bytes.
    public var url: String
    /// Must not contain the fields that the client sets or does not support: `Connection`, `Content-Length`, `Expect`,
    /// `Host`, `TE`, `Transfer-Encoding`, `Upgrade` and `User-Agent`. `Content-Type` is sent only if set here.
    public var headers: Headers
    public var body: [UInt8]
    /// The time limit of the whole request, including the wait for a connection and the name look-up; at most an hour.
    public var deadline: Duration
    /// The maximum size of the response's body in bytes.
    public var maximumResponseBytes: Int
    public var destination: Destination
    /// Whether a body of more than ``maximumResponseBytes`` is cut off there, instead of failing the request.
    public var cutsLongResponse = false

    public init(
        _ method: Method, _ url: String, headers: Headers = Headers(), body: [UInt8] = [],
        deadline: Duration = .seconds(10), maximumResponseBytes: Int = 256 * 1024, destination: Destination
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.maximumResponseBytes = maximumResponseBytes
        self.destination = destination
    }
}

/// The response, which may be a redirect or an error.
public struct ClientResponse: Sendable {
    public let status: Int
    public let headers: Headers
    public let body: [UInt8]

    public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
