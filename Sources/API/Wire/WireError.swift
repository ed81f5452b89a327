internal import Identity

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
