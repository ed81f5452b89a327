public import Foundation

/// Sends requests to the gateway.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response, whatever its status is. Must not follow redirects.
    ///
    /// - Throws: any error if no complete response arrives before the request's timeout. The library converts it to
    ///   ``AuthErrorCode/networkError``.
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
    /// The JSON body, or `nil` if the request has no body.
    public var body: Data?
    /// Timeout of the whole exchange, in seconds.
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

// The descriptions contain neither bodies nor header fields, because those contain passwords and tokens.

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path.
    public var description: String { "TransportRequest(\(method) \(url.path))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "path": url.path]) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status.
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
    /// The header fields. The library ignores the case of their names.
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
