internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with its own `URLSession`, without cookies, a cache or stored credentials.
///
/// On Linux, Foundation crashes if a connection closes within the header of a response (swift-corelibs-foundation,
/// issue 5285). Programs for which this matters need another ``HTTPTransport`` there.
public struct URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let collector = ResponseCollector()

    /// Creates a transport.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
    }

    /// Sends a request and returns the response. Redirects are not followed, because the body may contain a password.
    ///
    /// - Throws: `URLError` or `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
            group.addTask { try await exchange(request) }
            // `timeoutInterval` of a `URLRequest` does not limit a response that keeps arriving slowly.
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
        var urlRequest = URLRequest(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.timeout)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        #if canImport(FoundationNetworking)
            // On Linux, a request on a reused connection that the server has just closed never completes, because
            // Foundation cannot send the body again.
            urlRequest.setValue("close", forHTTPHeaderField: "Connection")
        #endif
        let task = session.dataTask(with: urlRequest)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.begin(task, continuation)
                if Task.isCancelled { collector.finish(task, .failure(CancellationError())) } else { task.resume() }
            }
        } onCancel: {
            // Called before `cancel()`, which would end the task with a `URLError`.
            collector.finish(task, .failure(CancellationError()))
            task.cancel()
        }
    }
}

/// The delegate of the session: collects the bodies of responses and does not follow redirects.
private final class ResponseCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange: Sendable {
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var body = Data()
    }

    private let exchanges = Locked<[Int: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
    }

    /// Resumes the caller of a task. Does nothing if that has been done.
    func finish(_ task: URLSessionTask, _ result: Result<TransportResponse, any Error>) {
        let finished = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        finished?.continuation.resume(with: result)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = exchanges.withLock { exchanges in
            let id = dataTask.taskIdentifier
            exchanges[id]?.body.append(data)
            return exchanges[id].map { $0.body.count > TransportResponse.maximumBody } ?? false
        }
        guard isTooLarge else { return }
        dataTask.cancel()
        finish(dataTask, .failure(URLError(.dataLengthExceedsMaximum)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { return finish(task, .failure(error)) }
        guard let response = task.response as? HTTPURLResponse else {
            return finish(task, .failure(URLError(.badServerResponse)))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        let body = exchanges.withLock { $0[task.taskIdentifier]?.body } ?? Data()
        finish(task, .success(TransportResponse(status: response.statusCode, headers: headers, body: body)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
