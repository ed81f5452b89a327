public import Foundation

/// Sends requests to the gateway.
public protocol HTTPTransport: Sendable {
    /// Returns the response to a request, whatever its status is.
    ///
    /// - Throws: any error if there is no complete response.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request to the gateway.
public struct TransportRequest: Sendable {
    /// `GET` or `POST`.
    public var method: String
    /// The URL with its query.
    public var url: URL
    /// The header fields.
    public var headers: [String: String]
    /// The JSON of the request, or `nil` if it has no body.
    public var body: Data?
    /// Seconds after which the request fails.
    public var timeout: TimeInterval

    /// Creates a request.
    public init(method: String, url: URL, headers: [String: String], body: Data?, timeout: TimeInterval) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

// The bodies contain passwords and tokens, and a transport of the app may print what it sends.

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// Method and path only.
    public var description: String { "TransportRequest(\(method) \(url.path))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "path": url.path]) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status only.
    public var description: String { "TransportResponse(status: \(status))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

/// A complete response of the gateway.
public struct TransportResponse: Sendable {
    /// The largest body that the library accepts, in bytes (4 MiB). A transport should not read more.
    public static let maximumBody = 4 * 1024 * 1024

    /// The HTTP status.
    public var status: Int
    /// The header fields. Names are compared without regard to case.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// Creates a response.
    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    func header(_ name: String) -> String? {
        headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}
