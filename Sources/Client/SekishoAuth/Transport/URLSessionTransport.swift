internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with a `URLSession` that stores nothing: no cookies, no cache, no credentials.
///
/// On Linux, Foundation ends the process if a connection closes within the header of a response
/// (swift-corelibs-foundation, issue 5285). Programs that must survive this use another ``HTTPTransport`` there.
public struct URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// Creates a transport with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// Returns the response to a request. Redirects are not followed, because the body may contain a password.
    ///
    /// - Throws: `URLError` or `CancellationError`. The timeout covers the whole exchange, also a body that trickles.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
            group.addTask { try await exchange(request) }
            group.addTask {
                try await Task.sleep(nanoseconds: UInt64(max(0, min(request.timeout, 1e9)) * 1e9))
                return nil
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() ?? nil else { throw URLError(.timedOut) }
            return response
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        var message = URLRequest(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.timeout)
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        #if canImport(FoundationNetworking)
            // On Linux, a request on a connection that the server has just closed never ends: Foundation cannot send its
            // body a second time.
            message.setValue("close", forHTTPHeaderField: "Connection")
        #endif
        let (body, response) = try await session.data(for: message)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        return TransportResponse(status: response.statusCode, headers: headers, body: body)
    }
}

private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
