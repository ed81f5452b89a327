internal import HTTP
internal import Identity

/// A response with what the log and the metrics record about it.
struct RequestOutcome {
    var response: Response
    let operationID: String?
    let realm: ID<Realm>?
    /// The code of the refusal for logs.
    let refusal: String?
    /// The error behind a 500 or 503.
    let fault: (any Error)?
    /// Whether the response is a page, which other origins must not read.
    let isPage: Bool

    init(_ response: Response, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil) {
        self.response = response
        operationID = endpoint?.operationID
        self.realm = realm
        refusal = nil
        fault = nil
        isPage = endpoint?.isPage ?? false
    }

    init(_ page: PageResponse, of endpoint: Endpoint) {
        response = page.response
        operationID = endpoint.operationID
        realm = page.realm
        refusal = page.refusal
        fault = nil
        isPage = true
    }

    /// Refusals are JSON, faults plain text. Stock clients sign the user out on any JSON error, and retry after an
    /// error in another format.
    init(
        _ error: any Error, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil, allowed: [HTTP.Method] = []
    ) {
        operationID = endpoint?.operationID
        self.realm = realm
        isPage = endpoint?.isPage ?? false
        do {
            guard let refusal = error as? any Refusal else { throw error }
            response = try (endpoint?.errors ?? .identityToolkit).response(WireError(refusal))
            self.refusal = refusal.loggedCode
            fault = nil
        } catch {
            response = Self.failure(error)
            refusal = nil
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
            case is PersistentConflict: (503, "Conflicting changes; try again shortly.", 1)
            case is StoreUnavailable: (503, "Unavailable; try again shortly.", 2)
            case is ProviderUnreachable: (503, "The identity provider does not answer; try again shortly.", 2)
            default: (500, "Internal error", 0)
            }
        var response = Response.text(status: status, text)
        if seconds > 0 { response.headers.add("Retry-After", String(seconds)) }
        return response
    }
}
