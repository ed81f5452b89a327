internal import HTTP
internal import Identity
internal import JSON

/// The two shapes of an error body.
enum ErrorEnvelope {
    /// Identity Toolkit: a list of errors beside the message.
    case identityToolkit
    /// Secure Token: a canonical status always, a list never.
    case secureToken

    func response(_ error: WireError) throws -> Response {
        let content: Content =
            switch self {
            case .identityToolkit:
                Content(error, errors: [Item(error)], status: error.status)
            case .secureToken:
                Content(error, errors: nil, status: error.status ?? .invalidArgument)
            }
        var response = try Response.json(["error": content], status: error.httpStatus)
        if error.status == .unauthenticated {
            response.headers.add("WWW-Authenticate", #"Bearer error="invalid_token""#)
        }
        if let retryDelay = error.retryDelay { response.headers.add("Retry-After", retryDelay.delaySeconds) }
        return response
    }

    private struct Content: Encodable {
        let code: Int
        /// An extension. Firebase's clients read `message`.
        let errorCode: String
        let message: String
        let errors: [Item]?
        let status: String?
        let details: [WireError.Detail]?

        init(_ error: WireError, errors: [Item]?, status: WireError.Status?) {
            code = error.httpStatus
            errorCode = error.code.rawValue
            message = error.message
            self.errors = errors
            self.status = status?.rawValue
            details = error.details.isEmpty ? nil : error.details
        }
    }

    private struct Item: Encodable {
        let message: String
        let reason: String
        let domain = "global"
        let location: String?
        let locationType: String?

        init(_ error: WireError) {
            message = error.message
            reason = error.reason
            location = error.status == .unauthenticated ? "Authorization" : nil
            locationType = location == nil ? nil : "header"
        }
    }
}

extension Duration {
    /// Whole seconds, rounded up and at least one, so that no client retries too early (RFC 9110 §10.2.3).
    fileprivate var delaySeconds: String {
        let (seconds, attoseconds) = components
        return String(max(1, attoseconds > 0 ? seconds + 1 : seconds))
    }
}
