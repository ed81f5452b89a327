/// A refusal as a client sees it.
struct WireError: Error, Hashable {
    let httpStatus: Int
    /// `CODE`, `CODE : explanation`, or a sentence.
    let message: String
    let reason: String
    let status: Status?
    var details: [Detail] = []
    /// What operators are told where clients are told less.
    var loggedAs: String?
    /// The same request may succeed after that.
    var retryAfter: Duration?

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

    /// `google.rpc.ErrorInfo`, for clients that tell errors apart by it.
    struct Detail: Hashable, Encodable {
        let type = "type.googleapis.com/google.rpc.ErrorInfo"
        let reason: String
        let domain: String
        let metadata: [String: String]

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case reason, domain, metadata
        }
    }

    /// The short name for logs and metrics; holds nothing a client wrote.
    var code: String {
        loggedAs ?? details.first?.reason ?? status?.rawValue ?? String(message.prefix { $0 != " " })
    }
}

extension WireError {
    /// A rule of accounts was broken: 400 with a code that client SDKs know, and no canonical status.
    static func refused(_ message: String, loggedAs: String? = nil) -> WireError {
        WireError(httpStatus: 400, message: message, reason: "invalid", status: nil, loggedAs: loggedAs)
    }

    static func tooManyAttempts(retryAfter: Duration) -> WireError {
        var error = refused("TOO_MANY_ATTEMPTS_TRY_LATER : Too many attempts. Try again later.")
        error.retryAfter = retryAfter
        return error
    }

    /// A field is not what the contract says.
    static func invalidField(_ pointer: String, _ problem: String) -> WireError {
        let place = pointer.isEmpty ? "" : "\(pointer) "
        return WireError(
            httpStatus: 400, message: "Invalid JSON payload received. \(place)\(problem)", reason: "invalid",
            status: .invalidArgument)
    }

    static func unreadableBody(_ why: String) -> WireError {
        WireError(
            httpStatus: 400, message: "Invalid JSON payload received. \(why)", reason: "parseError",
            status: .invalidArgument)
    }

    /// Part of the protocol, but not of this release.
    static func notImplemented(_ what: String) -> WireError {
        WireError(
            httpStatus: 501, message: "\(what) is not implemented.", reason: "unimplemented", status: .notImplemented)
    }

    static let notFound = WireError(httpStatus: 404, message: "Not Found", reason: "notFound", status: .notFound)

    static let methodNotAllowed = WireError(
        httpStatus: 405, message: "Method Not Allowed", reason: "methodNotAllowed", status: .methodNotAllowed)
}

extension WireError {
    static let missingAPIKey = WireError(
        httpStatus: 403, message: "The request is missing a valid API key.", reason: "forbidden",
        status: .permissionDenied)

    static let unknownAPIKey = WireError(
        httpStatus: 400, message: "API key not valid. Please pass a valid API key.", reason: "badRequest",
        status: .invalidArgument,
        details: [
            Detail(
                reason: "API_KEY_INVALID", domain: "googleapis.com",
                metadata: ["service": "identitytoolkit.googleapis.com"])
        ])

    static let invalidBearer = WireError(
        httpStatus: 401,
        message:
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
        reason: "authError", status: .unauthenticated)

    static let permissionDenied = WireError(
        httpStatus: 403, message: "The caller does not have permission", reason: "forbidden",
        status: .permissionDenied)

    static func scopeMissing(_ scope: String) -> WireError {
        WireError(
            httpStatus: 403, message: "PERMISSION_DENIED : The service key lacks the scope \(scope).",
            reason: "forbidden", status: .permissionDenied)
    }

    static let unknownTenant = refused("INVALID_TENANT_ID")

    static let tenantMismatch = refused("TENANT_ID_MISMATCH")

    static let tenantNotFound = WireError(
        httpStatus: 404, message: "TENANT_NOT_FOUND", reason: "notFound", status: .notFound,
        loggedAs: "TENANT_NOT_FOUND")

    static let projectNotChosenByClients = refused(
        "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
}
