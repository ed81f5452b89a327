internal import HTTP
internal import Identity
internal import JSON

/// The two shapes of an error body.
enum ErrorEnvelope {
    /// Identity Toolkit: always with a list of errors, and with a canonical status (``WireError/Status``) only for some
    /// codes.
    case identityToolkit
    /// Secure Token: always with a canonical status, never with a list.
    case secureToken

    func response(_ refusal: any Refusal) throws -> Response {
        let error = WireError(refusal, in: self)
        var response = try Response.json(["error": error], status: error.code)
        if error.status == .unauthenticated {
            response.headers.add("WWW-Authenticate", #"Bearer error="invalid_token""#)
        }
        if let retryDelay = refusal.retryDelay { response.headers.add("Retry-After", String(retryDelay.delaySeconds)) }
        return response
    }
}

/// The member `error` of an error body, which describes a refusal.
struct WireError: Encodable {
    /// The status of the response.
    let code: Int
    /// An extension of the protocol. Firebase's clients read the code in `message`.
    let errorCode: String
    /// `CODE`, `CODE : explanation`, or a sentence.
    let message: String
    let errors: [Item]?
    let status: Status?
    let details: [Detail]?

    struct Item: Encodable {
        let message: String
        let reason: String
        let domain = "global"
        let location: String?
        let locationType: String?
    }

    /// The canonical error code that Firebase writes beside the HTTP status.
    enum Status: String, Encodable {
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
    struct Detail: Encodable {
        let type = "type.googleapis.com/google.rpc.ErrorInfo"
        let reason: String
        let domain: String
        let metadata: [String: String]

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case reason, domain, metadata
        }
    }

    init(_ refusal: any Refusal, in envelope: ErrorEnvelope = .identityToolkit) {
        let (httpStatus, reason, status) = refusal.code.statuses
        code = refusal.isServerError ? 500 : httpStatus
        errorCode = refusal.code.rawValue
        message = refusal.messageOnWire
        switch envelope {
        case .identityToolkit:
            let isUnauthenticated = status == .unauthenticated
            errors = [
                Item(
                    message: message, reason: refusal.isUnreadableBody ? "parseError" : reason,
                    location: isUnauthenticated ? "Authorization" : nil,
                    locationType: isUnauthenticated ? "header" : nil)
            ]
            self.status = status
        case .secureToken:
            errors = nil
            self.status = status ?? .invalidArgument
        }
        let domain = refusal.code.concernsAPIKey ? "googleapis.com" : "identitytoolkit.googleapis.com"
        details =
            refusal.metadata.isEmpty
            ? nil : [Detail(reason: errorCode, domain: domain, metadata: refusal.metadata)]
    }
}

extension Refusal {
    /// The message, in which a code that Firebase's clients know precedes the sentence of status 501. Without it, these
    /// clients would make a code from the sentence.
    fileprivate var messageOnWire: String {
        code == .notImplemented ? "\(ErrorCode.operationNotAllowed.rawValue) : \(message)" : message
    }

    /// Whether the body cannot be parsed. Firebase has a separate `reason` for this error.
    fileprivate var isUnreadableBody: Bool {
        if case RequestRefusal.unreadableBody? = self as? RequestRefusal { true } else { false }
    }
}

extension ErrorCode {
    /// Whether the error concerns the API key. Firebase reports these errors with another domain, because its API
    /// platform checks the key before Identity Toolkit.
    fileprivate var concernsAPIKey: Bool {
        [.apiKeyInvalid, .apiKeyIOSAppBlocked, .apiKeyAndroidAppBlocked, .apiKeyHTTPReferrerBlocked].contains(self)
    }

    /// The HTTP status, the `reason` and the canonical status of the code. Most codes have the HTTP status 400 and no
    /// canonical status.
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
        case .loginServices, .providerIssuerInUse, .rpIDInUse: (409, "failedPrecondition", .failedPrecondition)
        case .eventsExpired: (410, "gone", .failedPrecondition)
        case .requestTooLarge: (413, "uploadTooLarge", .invalidArgument)
        case .uriTooLong: (414, "uriTooLong", .invalidArgument)
        case .unsupportedMediaType: (415, "unsupportedMediaType", .invalidArgument)
        case .notImplemented: (501, "unimplemented", .notImplemented)
        default: (400, "invalid", nil)
        }
    }
}

extension Duration {
    /// The delay in whole seconds, rounded up and at least one, so that no client retries too early (RFC 9110 §10.2.3).
    var delaySeconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, attoseconds > 0 ? seconds + 1 : seconds)
    }

    /// The delay in whole minutes, rounded up and at least one.
    var delayMinutes: Int { Int(delaySeconds + 59) / 60 }
}
