internal import HTTP
internal import Identity
internal import JSON

/// A refusal as a client sees it.
struct WireError: Hashable {
    let httpStatus: Int
    let code: ErrorCode
    /// `CODE`, `CODE : explanation`, or a sentence.
    let message: String
    let reason: String
    let status: Status?
    let details: [Detail]
    /// How long to wait before a retry.
    let retryDelay: Duration?

    /// The canonical error code that Google writes beside the HTTP status.
    enum Status: String {
        case alreadyExists = "ALREADY_EXISTS"
        case failedPrecondition = "FAILED_PRECONDITION"
        case invalidArgument = "INVALID_ARGUMENT"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case notFound = "NOT_FOUND"
        case notImplemented = "NOT_IMPLEMENTED"
        case permissionDenied = "PERMISSION_DENIED"
        case unauthenticated = "UNAUTHENTICATED"
    }

    /// `google.rpc.ErrorInfo`, for clients that distinguish errors by it.
    struct Detail: Hashable, Encodable {
        let type = "type.googleapis.com/google.rpc.ErrorInfo"
        let reason: String
        let domain: String
        let metadata: [String: String]

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case reason, domain, metadata
        }

        init(_ code: ErrorCode, _ metadata: [String: String]) {
            reason = code.rawValue
            domain = code.isOfAPIKey ? "googleapis.com" : "identitytoolkit.googleapis.com"
            self.metadata = metadata
        }
    }

    init(_ refusal: any Refusal) {
        let (httpStatus, reason, status) = refusal.code.statuses
        self.httpStatus = httpStatus
        code = refusal.code
        self.status = status
        // Google's name for a body that cannot be parsed at all.
        self.reason =
            if case RequestRefusal.unreadableBody? = refusal as? RequestRefusal { "parseError" } else { reason }
        message = refusal.message
        details = refusal.metadata.isEmpty ? [] : [Detail(refusal.code, refusal.metadata)]
        retryDelay = refusal.retryDelay
    }
}

extension ErrorCode {
    /// Google's own layer answers in these cases, before Identity Toolkit.
    fileprivate var isOfAPIKey: Bool {
        [.apiKeyInvalid, .apiKeyIOSAppBlocked, .apiKeyAndroidAppBlocked, .apiKeyHTTPReferrerBlocked].contains(self)
    }

    /// The statuses beside the code. Most codes have 400 without a canonical status.
    fileprivate var statuses: (http: Int, reason: String, canonical: WireError.Status?) {
        switch self {
        case .invalidArgument: (400, "invalid", .invalidArgument)
        case .apiKeyInvalid: (400, "badRequest", .invalidArgument)
        case .unauthenticated: (401, "authError", .unauthenticated)
        case .permissionDenied, .apiKeyIOSAppBlocked, .apiKeyAndroidAppBlocked, .apiKeyHTTPReferrerBlocked:
            (403, "forbidden", .permissionDenied)
        case .notFound, .tenantNotFound, .configurationNotFound: (404, "notFound", .notFound)
        case .methodNotAllowed: (405, "methodNotAllowed", .methodNotAllowed)
        case .configurationExists: (409, "alreadyExists", .alreadyExists)
        case .loginServices, .providerIssuerInUse: (409, "failedPrecondition", .failedPrecondition)
        case .notImplemented: (501, "unimplemented", .notImplemented)
        default: (400, "invalid", nil)
        }
    }
}

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
