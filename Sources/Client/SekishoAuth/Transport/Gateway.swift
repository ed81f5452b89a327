internal import Foundation

/// A decoded response, and when it was requested.
struct Received<Value: Sendable>: Sendable {
    let value: Value
    /// The clocks when the request was sent.
    let sentAt: GatewayTime
}

extension AuthCore {
    /// Sends a JSON request and decodes the response.
    ///
    /// - Throws: ``AuthErrorCode`` or `CancellationError`.
    func post<Response: Decodable & Sendable>(
        _ path: String, _ body: some Encodable
    ) async throws -> Response {
        let received: Received<Response> = try await post(path, body)
        return received.value
    }

    /// See the other `post`. Also returns when the request was sent.
    func post<Response: Decodable & Sendable>(
        _ path: String, _ body: some Encodable, resumptionKey: String? = nil
    ) async throws -> Received<Response> {
        try await send("POST", path, body: try JSONEncoder().encode(body), resumptionKey: resumptionKey)
    }

    /// Sends a request without a body and decodes the response.
    func get<Response: Decodable & Sendable>(
        _ path: String, _ query: [URLQueryItem]
    ) async throws -> Response {
        let received: Received<Response> = try await send("GET", path, query: query)
        return received.value
    }

    private func send<Response: Decodable & Sendable>(
        _ method: String, _ path: String, query: [URLQueryItem] = [], body: Data? = nil, resumptionKey: String? = nil
    ) async throws -> Received<Response> {
        var request = try request(method, path, query: query, body: body)
        request.headers["Sekisho-Resumption-Key"] = resumptionKey
        let sentAt = time.reading
        let response: TransportResponse
        do {
            response = try await options.transport.send(request)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw AuthErrorCode.networkError
        }
        if let date = response.header("Date") { time.observe(date: date) }
        guard response.status == 200 else { throw Self.error(response) }
        guard response.body.count <= TransportResponse.maximumBody,
            // The guard throws for a body that is not the response.
            let value = try? JSONDecoder().decode(Response.self, from: response.body)
        else {
            throw AuthErrorCode.internalError.with(
                "The response is not in the expected format. Check SekishoOptions.url.")
        }
        // The clocks when the request was sent, by an offset that may be known only now.
        var corrected = sentAt
        corrected.clockOffset = time.reading.clockOffset
        return Received(value: value, sentAt: corrected)
    }

    private func request(
        _ method: String, _ path: String, query: [URLQueryItem], body: Data?
    ) throws -> TransportRequest {
        let language = state.withLock(\.languageCode)
        guard server.scheme == "https" || isEmulator else {
            throw AuthErrorCode.internalError.with(
                "The gateway's URL does not begin with https. Call useEmulator(withHost:port:) for a development server."
            )
        }
        var components = URLComponents(url: server, resolvingAgainstBaseURL: true)
        let base = components?.percentEncodedPath ?? ""
        components?.percentEncodedPath = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        if !query.isEmpty { components?.queryItems = query }
        guard let url = components?.url else {
            throw AuthErrorCode.internalError.with("The gateway's URL is not valid.")
        }
        var headers = [
            "x-goog-api-key": options.apiKey, "X-Client-Version": "Swift/SekishoAuth/\(Auth.libraryVersion)",
            "User-Agent": options.deviceName, "Accept": "application/json",
        ]
        headers["Content-Type"] = body == nil ? nil : "application/json"
        headers["X-Ios-Bundle-Identifier"] = options.bundleIdentifier
        headers["X-Firebase-Locale"] = language
        headers["Accept-Language"] = Locale.preferredLanguages.prefix(5).joined(separator: ", ")
        return TransportRequest(
            method: method, url: url, headers: headers.mapValues(Self.printable), body: body,
            timeout: options.requestTimeout)
    }

    /// The value of a header field: printable ASCII, on one line.
    private static func printable(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
    }

    /// The error of a response that is not a success.
    private static func error(_ response: TransportResponse) -> AuthErrorCode {
        let retryAfter = response.header("Retry-After").flatMap { TimeInterval($0) }.map { max(0, $0) }
        let details: [String: any Sendable] =
            retryAfter.map { [AuthErrors.userInfoRetryAfterKey: min($0, 3600)] } ?? [:]
        // Proxies and captive portals respond too, but only the gateway can reject a request.
        if (400..<500).contains(response.status), let error = ServerError(decoding: response.body) {
            return error.authError.with(nil, details)
        }
        if response.status == 429 { return AuthErrorCode.tooManyRequests.with(nil, details) }
        return AuthErrorCode.internalError.with(
            "The response (HTTP status \(response.status)) did not come from the gateway, or the gateway failed.",
            details)
    }
}
