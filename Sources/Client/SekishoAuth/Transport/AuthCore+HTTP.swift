internal import Foundation

/// The body of a request, and its media type.
struct RequestContent {
    let type: String
    let data: Data

    init(type: String, data: Data) {
        self.type = type
        self.data = data
    }

    /// The fields as `application/x-www-form-urlencoded`. Every byte except unreserved characters is percent-encoded.
    init(form fields: KeyValuePairs<String, String>) {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let pairs = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
        }
        self.init(type: "application/x-www-form-urlencoded", data: Data(pairs.joined(separator: "&").utf8))
    }
}

/// A decoded response with the time of its request.
struct TimedResponse<Value: Sendable>: Sendable {
    let value: Value
    /// The device's clocks when the request was sent, with the latest offset of the gateway's clock.
    let requestedAt: ClockReading
}

extension AuthCore {
    /// Sends a JSON request and decodes the response.
    ///
    /// - Throws: ``AuthErrorCode`` or `CancellationError`.
    func post<Response: Decodable & Sendable>(
        _ path: String, _ body: some Encodable
    ) async throws -> Response {
        let received: TimedResponse<Response> = try await post(path, body)
        return received.value
    }

    /// Sends a JSON request, and returns the decoded response with the time of the request.
    ///
    /// - Parameter resumptionKey: the value of ``ResumptionKey``, if the request replaces the session or refreshes
    ///   tokens.
    /// - Throws: see the other `post`.
    func post<Response: Decodable & Sendable>(
        _ path: String, _ body: some Encodable, resumptionKey: String? = nil
    ) async throws -> TimedResponse<Response> {
        try await send(
            "POST", path, body: RequestContent(type: "application/json", data: try JSONEncoder().encode(body)),
            resumptionKey: resumptionKey)
    }

    /// Sends a form, and returns the decoded response with the time of the request.
    ///
    /// - Parameter timeout: the timeout in seconds, if it is shorter than ``SekishoOptions/requestTimeout``.
    /// - Throws: see `post`.
    func postForm<Response: Decodable & Sendable>(
        _ path: String, _ fields: KeyValuePairs<String, String>, resumptionKey: String? = nil, timeout: TimeInterval
    ) async throws -> TimedResponse<Response> {
        try await send(
            "POST", path, body: RequestContent(form: fields), resumptionKey: resumptionKey, timeout: timeout)
    }

    /// Sends a request without a body and decodes the response.
    ///
    /// - Throws: see `post`.
    func get<Response: Decodable & Sendable>(
        _ path: String, _ query: [URLQueryItem]
    ) async throws -> Response {
        let received: TimedResponse<Response> = try await send("GET", path, query: query)
        return received.value
    }

    /// Sends a JSON request, and returns the JSON object of the response as it was received.
    ///
    /// - Throws: see `post`.
    func postForData(_ path: String, _ body: some Encodable) async throws -> Data {
        let content = RequestContent(type: "application/json", data: try JSONEncoder().encode(body))
        let data = try await receive("POST", path, body: content).value
        let _: EmptyResponse = try Self.decode(data)
        return data
    }

    private func send<Response: Decodable & Sendable>(
        _ method: String, _ path: String, query: [URLQueryItem] = [], body: RequestContent? = nil,
        resumptionKey: String? = nil, timeout: TimeInterval = .infinity
    ) async throws -> TimedResponse<Response> {
        let received = try await receive(
            method, path, query: query, body: body, resumptionKey: resumptionKey, timeout: timeout)
        return TimedResponse(value: try Self.decode(received.value), requestedAt: received.requestedAt)
    }

    private static func decode<Response: Decodable>(_ content: Data) throws -> Response {
        guard content.count <= TransportResponse.maximumBody,
            // The guard throws for a body in another format.
            let value = try? JSONDecoder().decode(Response.self, from: content)
        else {
            throw AuthErrorCode.internalError.with(
                "The response is not in the expected format. Check SekishoOptions.url.")
        }
        return value
    }

    /// Sends a request, and returns the body of the response.
    private func receive(
        _ method: String, _ path: String, query: [URLQueryItem] = [], body: RequestContent? = nil,
        resumptionKey: String? = nil, timeout: TimeInterval = .infinity
    ) async throws -> TimedResponse<Data> {
        var request = try request(method, path, query: query, body: body)
        request.timeout = min(request.timeout, timeout)
        request.headers["Sekisho-Resumption-Key"] = resumptionKey
        let requestedAt = gatewayClock.currentReading
        let response: TransportResponse
        do {
            response = try await options.transport.send(request)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw AuthErrorCode.networkError
        }
        if let date = response.header("Date") { gatewayClock.observe(date: date) }
        guard [200, 204].contains(response.status) else { throw Self.error(response) }
        let content = response.status == 204 ? Data("{}".utf8) : response.body
        // When the first request was sent, the offset of the gateway's clock was unknown.
        var corrected = requestedAt
        corrected.clockOffset = gatewayClock.currentReading.clockOffset
        return TimedResponse(value: content, requestedAt: corrected)
    }

    private func request(
        _ method: String, _ path: String, query: [URLQueryItem], body: RequestContent?
    ) throws -> TransportRequest {
        let language = state.withLock(\.languageCode)
        var components = URLComponents(url: server, resolvingAgainstBaseURL: true)
        let base = components?.percentEncodedPath ?? ""
        components?.percentEncodedPath = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        if !query.isEmpty { components?.queryItems = query }
        guard let url = components?.url else {
            throw AuthErrorCode.internalError.with("SekishoOptions.url is not a valid URL.")
        }
        var headers = [
            "x-goog-api-key": options.apiKey, "X-Client-Version": "Swift/SekishoAuth/\(Auth.libraryVersion)",
            "User-Agent": options.deviceName, "Accept": "application/json",
        ]
        headers["Content-Type"] = body?.type
        headers["X-Ios-Bundle-Identifier"] = options.bundleIdentifier
        headers["X-Firebase-Locale"] = language
        headers["Accept-Language"] = Locale.preferredLanguages.prefix(5).joined(separator: ", ")
        return TransportRequest(
            method: method, url: url, headers: headers.mapValues(Self.sanitized), body: body?.data,
            timeout: options.requestTimeout)
    }

    /// Replaces each character that is not printable ASCII with `?`.
    private static func sanitized(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
    }

    /// Returns the error in a response whose status is not 200.
    private static func error(_ response: TransportResponse) -> AuthErrorCode {
        let retryAfter = response.header("Retry-After").flatMap { TimeInterval($0) }.map { max(0, $0) }
        let details: [String: any Sendable] =
            retryAfter.map { [AuthErrors.userInfoRetryAfterKey: min($0, 3600)] } ?? [:]
        // The response can also come from a proxy or a captive portal.
        if (400..<500).contains(response.status), let error = ServerError(decoding: response.body) {
            return error.authError.with(details: details)
        }
        if response.status == 429 { return AuthErrorCode.tooManyRequests.with(details: details) }
        return AuthErrorCode.internalError.with(
            "Unexpected response with HTTP status \(response.status), from the gateway or from a proxy.",
            details: details)
    }
}
