internal import HTTP
internal import Identity
public import Telemetry

/// A response, and what the log and the metrics record about the response.
struct RequestOutcome {
    var response: Response
    let operationID: String?
    let realm: ID<Realm>?
    /// The code of the refusal (an error that the caller caused), for the log.
    let refusalCode: String?
    /// The code of the refusal in the response; `nil` without a refusal, and for pages.
    var errorCode: ErrorCode?
    /// The error that caused the status 500 or 503.
    let fault: (any Error)?
    /// Whether pages of other origins can read the response.
    let isReadableByOtherOrigins: Bool
    /// The method of the operation if a ``MethodOverride`` names it, otherwise `nil`.
    var methodOverride: HTTP.Method?
    /// Whether the log has a line for the request.
    var isLogged = true
    /// Whether an app made the request, with its API key.
    var isOfApp = false

    init(_ response: Response, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil, isOfApp: Bool = false) {
        self.response = response
        self.isOfApp = isOfApp
        operationID = endpoint?.operationID
        self.realm = realm
        refusalCode = nil
        fault = nil
        isReadableByOtherOrigins = endpoint?.isReadableByOtherOrigins ?? true
    }

    /// The outcome of a refused request that gets a page.
    init(page response: Response, refusing code: ErrorCode) {
        self.response = response
        operationID = nil
        realm = nil
        refusalCode = code.rawValue
        fault = nil
        isReadableByOtherOrigins = false
    }

    /// The outcome of a request that the mode does not accept.
    init(rejection response: Response) {
        self.response = response
        operationID = nil
        realm = nil
        refusalCode = nil
        fault = nil
        isReadableByOtherOrigins = false
    }

    init(_ page: PageResponse, of endpoint: Endpoint) {
        response = page.response
        operationID = endpoint.operationID
        realm = page.realm
        refusalCode = page.refusalCode
        fault = page.fault
        isReadableByOtherOrigins = false
        isLogged = endpoint.isLogged
    }

    /// The outcome of an error. A refusal becomes JSON. Any other error becomes plain text: when a page of the app
    /// loads, Firebase's JavaScript SDK signs the user out after any JSON error, but not after an error in another
    /// format.
    ///
    /// - Parameter allowed: the methods for the header `Allow`; if empty, the header is omitted.
    init(
        _ error: any Error, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil, isOfApp: Bool = false,
        allowed: [HTTP.Method] = []
    ) {
        self.isOfApp = isOfApp
        operationID = endpoint?.operationID
        self.realm = realm
        isReadableByOtherOrigins = endpoint?.isReadableByOtherOrigins ?? true
        do {
            guard let refusal = error as? any Refusal else { throw error }
            response = try (endpoint?.errors ?? .identityToolkit).response(refusal)
            refusalCode = refusal.loggedCode
            errorCode = refusal.code
            fault = nil
        } catch {
            response = Self.failure(error)
            refusalCode = nil
            fault = error
        }
        if !allowed.isEmpty {
            response.headers.add("Allow", allowed.map(\.rawValue).joined(separator: ", "))
        }
    }

    private static func failure(_ error: any Error) -> Response {
        let (status, text, seconds): (Int, String, Int) =
            switch error {
            case is Overloaded: (503, "Too busy; try again shortly.", 1)
            // Received only by a client that has closed its sending side, but not its receiving side.
            case is ClientGone: (503, "The client has disconnected.", 0)
            case is PersistentConflict: (503, "Conflicting changes; try again shortly.", 1)
            case is StoreUnavailable: (503, "Unavailable; try again shortly.", 2)
            case is HookUnavailable: (503, "The project's backend does not respond; try again shortly.", 2)
            case is ProviderUnreachable: (503, "The identity provider does not respond; try again shortly.", 2)
            default: (500, "Internal error", 0)
            }
        var response = Response.text(status: status, text)
        if seconds > 0 { response.headers.add("Retry-After", String(seconds)) }
        return response
    }
}

/// Request metrics of the process, shared by all event loops.
public struct GatewayMetrics: Sendable {
    /// Also holds the metrics of other parts of the process. `/metrics` renders all of them.
    public let registry: Metrics
    private let requests: Counter
    private let seconds: Histogram
    let appleNotifications: AppleNotificationMetrics
    let googleSignals: GoogleSignalMetrics
    let appStore: AppStoreMetrics

    public init(registry: Metrics = Metrics()) {
        self.registry = registry
        appleNotifications = AppleNotificationMetrics(registry: registry)
        googleSignals = GoogleSignalMetrics(registry: registry)
        appStore = AppStoreMetrics(registry: registry)
        let operation = MetricLabel("operation", Endpoint.all.map(\.operationID))
        let status = MetricLabel(
            "status",
            ["200", "202", "204", "303", "400", "401", "403", "404", "405", "409", "410", "429", "500", "501", "503"])
        requests = registry.counter(
            "sekisho_requests_total", help: "Requests that got a response.", labels: [operation, status])
        seconds = registry.histogram(
            "sekisho_request_seconds", help: "Seconds from a complete request to its response.", labels: [operation])
    }

    /// Counts a request. A request that matches no operation is counted under `other`, like every value that a label
    /// does not list.
    func record(_ outcome: RequestOutcome, duration: Duration) {
        let operation = outcome.operationID ?? ""
        requests.increment(operation, String(outcome.response.status))
        seconds.observe(duration, operation)
    }
}

extension Counts {
    /// Counts the duration of an app's request, and its rejection.
    func add(_ outcome: RequestOutcome, duration: Duration) {
        guard outcome.isOfApp, let realm = outcome.realm else { return }
        add(.request(lasting: duration), realm)
        if let code = outcome.errorCode { add(.refusal(code), realm) }
    }
}

extension Log {
    /// Writes one line for a request, without its query, headers and body. The field `address` is a prefix of the
    /// client's address, too short to identify a user.
    func writeRequest(_ outcome: RequestOutcome, of request: Request, from client: ClientNetwork, duration: Duration) {
        var fields: LogFields = [
            "requestId": .string(request.id), "status": .int(outcome.response.status),
            "ms": .double(duration.milliseconds), "address": .string(client.widest.prefix),
        ]
        if let operationID = outcome.operationID {
            fields.add("operationId", .string(operationID))
        } else {
            fields.add("method", .string(request.method.rawValue))
            fields.add("path", .string(PathShape(request.path).description))
        }
        if let method = outcome.methodOverride {
            if outcome.operationID != nil { fields.add("method", .string(request.method.rawValue)) }
            fields.add("methodOverride", .string(method.rawValue))
        }
        if let realm = outcome.realm { fields.add("realm", .string(realm.rawValue)) }
        if let refusalCode = outcome.refusalCode { fields.add("refusal", .string(refusalCode)) }
        if let fault = outcome.fault {
            let cause = "\(String(reflecting: type(of: fault))): \(String(describing: fault).prefix(500))"
            error("request", cause: cause, fields)
        } else {
            info("request", fields)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e6
    }
}

/// Cross-origin rules (the CORS protocol of the Fetch standard). Every origin is allowed, because keys and tokens
/// authenticate requests, and cookies never do. The response repeats the origin of the request.
extension Response {
    /// The response to a preflight request.
    static func preflight(to request: Request) -> Response {
        var headers: Headers = [
            "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS",
            "Access-Control-Max-Age": "3600",
            "Vary": "Access-Control-Request-Headers, Access-Control-Request-Private-Network",
        ]
        if let requested = request.headers["Access-Control-Request-Headers"], requested.isReflectable {
            headers.add("Access-Control-Allow-Headers", requested)
        }
        if request.headers["Access-Control-Request-Private-Network"] != nil {
            headers.add("Access-Control-Allow-Private-Network", "true")
        }
        return Response(status: 204, headers: headers)
    }
}

extension Headers {
    /// Lets the page that sent `request` read the response, errors included.
    mutating func allowOrigin(of request: Request) {
        add("Vary", "Origin")
        guard let origin = request.headers["Origin"], origin.isReflectable else { return }
        add("Access-Control-Allow-Origin", origin)
        add("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
    }
}

extension String {
    /// Whether a response header may repeat the text.
    fileprivate var isReflectable: Bool { !isEmpty && utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
